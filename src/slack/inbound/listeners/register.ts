import type { App, BlockButtonAction, Context, ViewSubmitAction } from '@slack/bolt';
import { type ActionId, ASK_SHORTCUT_ID, actionIds, linkActionIds, viewIds } from '../../protocol/ids.ts';
import type { ReadyWorkspace } from '../../workspace/workspace.ts';
import { jobActions } from './buttons/job-actions.ts';
import { jobButton } from './buttons/job-button.ts';
import { showJob } from './buttons/show-job.ts';
import { startAnother, startAnotherSubmitted } from './buttons/start-another.ts';
import { checkAccess } from './check-access.ts';
import { checkWorkspace } from './check-workspace.ts';
import { command } from './commands/command.ts';
import { turnPage } from './commands/list.ts';
import { settingsChannelChosen, settingsFromHome, settingsSubmitted } from './commands/settings.ts';
import type { ListenerDeps, SharedDeps } from './deps.ts';
import { chooseMessages } from './forms/choose-messages.ts';
import { composeFromHome, composeSubmitted } from './forms/compose.ts';
import { followUpPressed, followUpSubmitted } from './forms/follow-up-form.ts';
import { messageShortcut } from './forms/message-shortcut.ts';
import { threadPreviewSubmitted } from './forms/thread-preview.ts';
import { homeOpened } from './home-opened.ts';
import { directMessage } from './messages/direct-message.ts';
import { mention } from './messages/mention.ts';
import { mentionByEdit } from './messages/mention-by-edit.ts';
import { replyChange } from './messages/reply-change.ts';
import { threadReply } from './messages/thread-reply.ts';

/** The routing table: which gesture goes where. */
export function registerListeners(app: App, shared: SharedDeps): void {
  /** The listener, working in the workspace of the gesture. */
  const here =
    <Args extends { readonly context: Context }>(
      listener: (deps: ListenerDeps) => (args: Args) => Promise<void>,
    ) =>
    (args: Args) =>
      listener({ ...shared, ...workspaceOf(args.context) })(withRespond(args));
  app.use(async (args) => {
    const { workspace } = args.context;
    // Of an installation that ended Bolt asks nothing.
    await (workspace === undefined
      ? shared.onEnded(args.body)
      : checkWorkspace({ ...shared, ...workspace })(args));
  });
  app.use(here(checkAccess));
  app.command('/docs-agent', here(command));
  app.event('message', here(threadReply));
  app.event('message', here(replyChange));
  app.event('app_home_opened', here(homeOpened));
  app.event('message', here(mentionByEdit));
  app.event('message', here(directMessage));
  app.event('app_mention', here(mention));
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, here(messageShortcut));
  const button = (id: ActionId) => ({ type: 'block_actions', action_id: id }) as const;
  app.action<BlockButtonAction>(button(actionIds.startJob), here(composeFromHome));
  app.action<BlockButtonAction>(button(actionIds.startAnother), here(startAnother));
  app.action<BlockButtonAction>(button(actionIds.chooseMessages), here(chooseMessages));
  app.action<BlockButtonAction>(button(actionIds.followUp), here(followUpPressed));
  app.view<ViewSubmitAction>(viewIds.followUp, here(followUpSubmitted));
  app.view<ViewSubmitAction>(viewIds.compose, here(composeSubmitted));
  app.view<ViewSubmitAction>(viewIds.threadPreview, here(threadPreviewSubmitted));
  app.view<ViewSubmitAction>(viewIds.startAnother, here(startAnotherSubmitted));
  app.action<BlockButtonAction>(button(actionIds.openSettings), here(settingsFromHome));
  app.view<ViewSubmitAction>(viewIds.settingsChannel, here(settingsChannelChosen));
  app.view<ViewSubmitAction>(viewIds.settings, here(settingsSubmitted));
  for (const jobAction of jobActions) {
    app.action<BlockButtonAction>(
      button(jobAction.actionId),
      here((deps) => jobButton(deps, jobAction)),
    );
  }
  for (const id of [actionIds.listNewer, actionIds.listOlder]) {
    app.action<BlockButtonAction>(button(id), here(turnPage));
  }
  app.action<BlockButtonAction>(button(actionIds.showJob), here(showJob));
  for (const id of linkActionIds) {
    app.action(id, ({ ack }) => ack());
  }
}

/** `checkWorkspace` has let the gesture through. */
function workspaceOf(context: Context): ReadyWorkspace {
  return context.workspace;
}

/** Slack gives no address for an answer to what is pressed in a form; a message's button has one. */
function withRespond<Args extends object>(args: Args): Args {
  const respond = () => Promise.reject(new Error('there is no response_url'));
  return 'respond' in args ? args : { ...args, respond };
}
