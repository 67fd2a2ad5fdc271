import type { App, BlockButtonAction } from '@slack/bolt';
import { actionIds, linkActionIds } from '../ids.ts';
import { jobActions } from '../job-actions.ts';
import { checkAccess } from './check-access.ts';
import { command } from './command.ts';
import type { ListenerDeps } from './deps.ts';
import { directMessage } from './direct-message.ts';
import { jobButton } from './job-button.ts';
import { turnPage } from './list.ts';
import { mention } from './mention.ts';
import { replyChange } from './reply-change.ts';
import { startAnother } from './start-another.ts';
import { showJob } from './status.ts';
import { threadReply } from './thread-reply.ts';

/** The routing table: which gesture goes where. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  app.use(checkAccess(deps));
  app.command('/docs-agent', command(deps));
  app.event('message', threadReply(deps));
  app.event('message', replyChange(deps));
  app.event('message', directMessage(deps));
  app.event('app_mention', mention(deps));
  app.action<BlockButtonAction>(
    { type: 'block_actions', action_id: actionIds.startAnother },
    startAnother(deps),
  );
  for (const jobAction of jobActions) {
    const button = { type: 'block_actions', action_id: jobAction.actionId } as const;
    app.action<BlockButtonAction>(button, jobButton(deps, jobAction));
  }
  for (const id of [actionIds.listNewer, actionIds.listOlder]) {
    app.action<BlockButtonAction>({ type: 'block_actions', action_id: id }, turnPage(deps));
  }
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: actionIds.showJob }, showJob(deps));
  for (const id of linkActionIds) {
    app.action(id, ({ ack }) => ack());
  }
}
