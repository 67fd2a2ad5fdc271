import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../store/apply-event.ts';
import type { Transaction } from '../../store/store.ts';
import { type MessageEvent, messageKeys, replyOf } from '../reply.ts';
import type { ListenerDeps } from './deps.ts';

/** More jobs than this do not wait for their cards in one channel at a time. */
const MAX_OPENING = 20;

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply in a job's thread is a follow-up. An error leaves it unacknowledged: Slack sends it again. */
export function threadReply(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const message = event as MessageEvent;
    const found = replyOf(message, context.botUserId);
    if (found === null) return;
    await deps.store.transaction(async (tx) => {
      const jobId = await tx.jobs.findByThread(body.team_id, message.channel, found.threadTs);
      const decisionContext = deps.newContext();
      if (jobId === null) {
        await readThreadsThatOpen(tx, body.team_id, message.channel, decisionContext.nowMs);
        return;
      }
      const keys = messageKeys(body.team_id, message, body.event_id);
      if (!(await tx.gestures.remember(keys, decisionContext.nowMs))) return;
      await applyEvent(tx, jobId, { type: 'reply_received', reply: found.reply }, decisionContext);
    });
  };
}

/**
 * A card can be seen, and answered, before its thread is known here: the channel's jobs whose cards are under
 * way will look for replies once they have their threads.
 */
async function readThreadsThatOpen(
  tx: Transaction,
  teamId: string,
  channelId: string,
  nowMs: number,
): Promise<void> {
  for (const jobId of await tx.jobs.opening(teamId, channelId, MAX_OPENING)) {
    await tx.tasks.schedule({ kind: 'catch_up', subject: jobId, runAtMs: nowMs, ifScheduled: 'keep' });
  }
}
