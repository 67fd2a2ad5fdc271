import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../store/apply-event.ts';
import { type MessageEvent, messageKeys, replyOf } from '../reply.ts';
import { isAdmitted } from './admission.ts';
import type { ListenerDeps } from './deps.ts';
import { whoseThread } from './whose-thread.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply in a job's thread is a follow-up. An error leaves it unacknowledged: Slack sends it again. */
export function threadReply(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const message = event as MessageEvent;
    const found = replyOf(message, context.botUserId);
    if (found === null) return;
    const { threadTs, reply } = found;
    const thread = { teamId: body.team_id, channelId: message.channel, threadTs };
    if ((await deps.store.transaction((tx) => whoseThread(tx, thread))) === 'foreign') return;
    if (!(await isAdmitted(deps, { ...thread, userId: reply.userId }))) return;
    await deps.store.transaction(async (tx) => {
      const owner = await whoseThread(tx, thread);
      if (owner === 'foreign') return;
      const decisionContext = deps.newContext();
      const { nowMs } = decisionContext;
      const isNew = await tx.gestures.remember(messageKeys(body.team_id, message, body.event_id), nowMs);
      if (!isNew) return;
      if (owner === 'opening') await tx.earlyReplies.put(thread, reply, nowMs);
      else await applyEvent(tx, owner.jobId, { type: 'reply_received', reply }, decisionContext);
    });
  };
}
