import type { App, BlockButtonAction } from '@slack/bolt';
import { actionIds, linkActionIds } from '../ids.ts';
import { checkAccess } from './check-access.ts';
import { command } from './command.ts';
import type { ListenerDeps } from './deps.ts';
import { jobButton } from './job-button.ts';
import { replyChange } from './reply-change.ts';
import { threadReply } from './thread-reply.ts';

/** The routing table: which gesture goes where. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  app.use(checkAccess(deps));
  app.command('/docs-agent', command(deps));
  app.event('message', threadReply(deps));
  app.event('message', replyChange(deps));
  for (const id of [actionIds.runAgain, actionIds.startAgain, actionIds.sendAgain, actionIds.retry]) {
    app.action<BlockButtonAction>({ type: 'block_actions', action_id: id }, jobButton(deps, id));
  }
  for (const id of linkActionIds) {
    app.action(id, ({ ack }) => ack());
  }
}
