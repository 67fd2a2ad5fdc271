import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../store/apply-event.ts';
import { type ChangeEvent, messageKeys, replyChangeOf } from '../reply.ts';
import type { ListenerDeps } from './deps.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply that waits goes out as it was changed, and not at all if it was deleted. */
export function replyChange(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const change = replyChangeOf(event as ChangeEvent, context.botUserId);
    if (change === null) return;
    const { kind, message, found } = change;
    const { reply, threadTs } = found;
    await deps.store.transaction(async (tx) => {
      const jobId = await tx.jobs.findByThread(body.team_id, message.channel, threadTs);
      if (jobId === null) return;
      const decisionContext = deps.newContext();
      // The change may overtake the message itself, which then must not come after it.
      const isNew = await tx.gestures.remember(messageKeys(body.team_id, message), decisionContext.nowMs);
      if (kind === 'deleted') {
        const { messageTs } = reply;
        if (!isNew) await applyEvent(tx, jobId, { type: 'reply_deleted', messageTs }, decisionContext);
      } else {
        const type = isNew ? 'reply_received' : 'reply_edited';
        await applyEvent(tx, jobId, { type, reply }, decisionContext);
      }
    });
  };
}
