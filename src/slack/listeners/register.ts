import type { App, BlockButtonAction, ViewSubmitAction } from '@slack/bolt';
import { type ActionId, ASK_SHORTCUT_ID, actionIds, linkActionIds, viewIds } from '../ids.ts';
import { jobActions } from '../job-actions.ts';
import { jobButton } from './buttons/job-button.ts';
import { startAnother, startAnotherSubmitted } from './buttons/start-another.ts';
import { checkAccess } from './check-access.ts';
import { command } from './commands/command.ts';
import { turnPage } from './commands/list.ts';
import { settingsChannelChosen, settingsFromHome, settingsSubmitted } from './commands/settings.ts';
import { showJob } from './commands/status.ts';
import type { ListenerDeps } from './deps.ts';
import { chooseMessages } from './forms/choose-messages.ts';
import { composeFromHome, composeSubmitted } from './forms/compose.ts';
import { followUpPressed, followUpSubmitted } from './forms/follow-up-form.ts';
import { messageShortcut } from './forms/message-shortcut.ts';
import { threadPreviewSubmitted } from './forms/thread-preview.ts';
import { homeOpened } from './home-opened.ts';
import { directMessage } from './messages/direct-message.ts';
import { mention } from './messages/mention.ts';
import { replyChange } from './messages/reply-change.ts';
import { threadReply } from './messages/thread-reply.ts';

/** The routing table: which gesture goes where. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  app.use(checkAccess(deps));
  app.command('/docs-agent', command(deps));
  app.event('message', threadReply(deps));
  app.event('message', replyChange(deps));
  app.event('app_home_opened', homeOpened(deps));
  app.event('message', directMessage(deps));
  app.event('app_mention', mention(deps));
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, messageShortcut(deps));
  const button = (id: ActionId) => ({ type: 'block_actions', action_id: id }) as const;
  app.action<BlockButtonAction>(button(actionIds.startJob), composeFromHome(deps));
  app.action<BlockButtonAction>(button(actionIds.startAnother), startAnother(deps));
  app.action<BlockButtonAction>(button(actionIds.chooseMessages), chooseMessages(deps));
  app.action<BlockButtonAction>(button(actionIds.followUp), followUpPressed(deps));
  app.view<ViewSubmitAction>(viewIds.followUp, followUpSubmitted(deps));
  app.view<ViewSubmitAction>(viewIds.compose, composeSubmitted(deps));
  app.view<ViewSubmitAction>(viewIds.threadPreview, threadPreviewSubmitted(deps));
  app.view<ViewSubmitAction>(viewIds.startAnother, startAnotherSubmitted(deps));
  app.action<BlockButtonAction>(button(actionIds.openSettings), settingsFromHome(deps));
  app.view<ViewSubmitAction>(viewIds.settingsChannel, settingsChannelChosen(deps));
  app.view<ViewSubmitAction>(viewIds.settings, settingsSubmitted(deps));
  for (const jobAction of jobActions) {
    app.action<BlockButtonAction>(button(jobAction.actionId), jobButton(deps, jobAction));
  }
  for (const id of [actionIds.listNewer, actionIds.listOlder]) {
    app.action<BlockButtonAction>(button(id), turnPage(deps));
  }
  app.action<BlockButtonAction>(button(actionIds.showJob), showJob(deps));
  for (const id of linkActionIds) {
    app.action(id, ({ ack }) => ack());
  }
}
