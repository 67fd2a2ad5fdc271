import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../store/apply-event.ts';
import { type MessageEvent, messageKeys, replyOf } from '../reply.ts';
import type { ListenerDeps } from './deps.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply in a job's thread is a follow-up. An error leaves it unacknowledged: Slack sends it again. */
export function threadReply(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const message = event as MessageEvent;
    const found = replyOf(message, context.botUserId);
    if (found === null) return;
    await deps.store.transaction(async (tx) => {
      const jobId = await tx.jobs.findByThread(body.team_id, message.channel, found.threadTs);
      if (jobId === null) return;
      const decisionContext = deps.newContext();
      const keys = [`event:${body.event_id}`, ...messageKeys(body.team_id, message)];
      if (!(await tx.gestures.remember(keys, decisionContext.nowMs))) return;
      await applyEvent(tx, jobId, { type: 'reply_received', reply: found.reply }, decisionContext);
    });
  };
}
