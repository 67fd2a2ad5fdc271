import type { App, BlockButtonAction } from '@slack/bolt';
import { actionIds } from '../ids.ts';
import { command } from './command.ts';
import type { ListenerDeps } from './deps.ts';
import { jobButton } from './job-button.ts';
import { replyChange } from './reply-change.ts';
import { threadReply } from './thread-reply.ts';

/** The routing table: which gesture goes where. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  app.command('/docs-agent', command(deps));
  app.event('message', threadReply(deps));
  app.event('message', replyChange(deps));
  for (const id of [actionIds.runAgain, actionIds.startAgain, actionIds.sendAgain, actionIds.retry]) {
    app.action<BlockButtonAction>({ type: 'block_actions', action_id: id }, jobButton(deps, id));
  }
  for (const id of [actionIds.viewPullRequest, actionIds.openThread]) {
    app.action(id, ({ ack }) => ack());
  }
}
