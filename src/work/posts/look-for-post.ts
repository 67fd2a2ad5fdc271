import type { Job } from '../../jobs/job.ts';
import { isAbsence } from '../../slack/absence.ts';
import { SlackCallError } from '../../slack/calls/failure.ts';
import { isBetweenPeople } from '../../slack/views/thread/requester.ts';
import type { CallOutcome, ClaimedTask } from '../../store/store.ts';
import { scheduleCatchUp } from '../catch-up.ts';
import { factsOf } from '../job-facts.ts';
import type { DuePost } from './due-post.ts';
import { destinationOf } from './render-post.ts';
import {
  cardOutOfSight,
  defer,
  dropped,
  type PostTools,
  posted,
  postpone,
  refused,
  type SlackCall,
  settle,
} from './settle-post.ts';
import { slackRetryMs } from './slack-retry.ts';

/** When an unclear post is looked for first, counted from its start: Slack may still be storing it. */
export const FIRST_LOOK_AFTER_MS = 2_000;
/**
 * Only then is a post that is not there surely absent: a request goes out within twice `SEND_WITHIN_MS` of its
 * start (once until it is made, once until it is connected) or not at all, and Slack is given ten seconds more. What
 * was on its way when the machine fell asleep goes on when it wakes, so this is time awake.
 */
const ABSENT_AFTER_MS = 20_000;
/**
 * What was written to the connection just before the machine slept reaches Slack when it wakes. By then Slack has
 * closed a connection on which nothing came for so long. It also bounds what is read of a busy channel.
 */
const ARRIVES_WITHIN_MS = 15 * 60_000;

/** A card may stand, and be answered, in a channel that the bot was removed from: for so long it may be invited again. */
const CARD_LOOKED_FOR_MS = 86_400_000;

/**
 * The call was started, and what became of it is not known: adopts the post, or makes it wanted again. Returns
 * what is next in the lane; null if nothing is, or if the lane has to wait.
 */
export async function lookForPost(
  tools: PostTools,
  task: ClaimedTask,
  { call, job, workspace }: SlackCall,
): Promise<DuePost | null> {
  if (call.request.kind === 'whisper') return dropped(tools, task, call, 'interrupted');
  const destination = destinationOf(job, call.request);
  const again: CallOutcome = { state: 'retry', detail: 'not found in Slack' };
  if (destination === null) return settle(tools, task, call, again);
  const sinceMs = call.startedAtMs ?? call.wantedAtMs;
  const nowMs = tools.clock.now();
  // After a crash, the next process may be here before the post of the one that died is at Slack.
  if (nowMs < sinceMs + FIRST_LOOK_AFTER_MS) return defer(tools, task, sinceMs + FIRST_LOOK_AFTER_MS);
  const facts = { call_id: call.id, call: call.request.kind, ...factsOf(job) };
  try {
    const ts = await workspace.poster.find(
      { ...destination, callId: call.id },
      sinceMs,
      sinceMs + ARRIVES_WITHIN_MS,
    );
    const outcome = ts === null ? 'absent' : 'adopted';
    const lag = ts === null ? {} : { lag_ms: nowMs - call.wantedAtMs };
    tools.log.info('post_looked_for', { ...facts, outcome, ...lag });
    if (ts !== null) {
      // If it is the card: its thread was not known until now, so replies in it were not taken for follow-ups.
      return await posted(tools, task, call, ts, (tx) => scheduleCatchUp(tx, job.id, nowMs));
    }
    // Asked for after the look: it may have slept in the middle.
    const sureAtMs = Math.max(sinceMs, tools.clock.awakeSinceMs()) + ABSENT_AFTER_MS;
    if (nowMs < sureAtMs) return await defer(tools, task, sureAtMs);
    return await settle(tools, task, call, again);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code, outcome } = error.failure;
    tools.log.warn('post_looked_for', { ...facts, outcome: 'failed', reason: code });
    if (outcome === 'refused') {
      if (call.request.kind === 'post_card' && nowMs < sinceMs + CARD_LOOKED_FOR_MS && mayReturn(job, code))
        return cardOutOfSight(tools, task, call, error.failure);
      // There is no way to look: the channel is gone for reading and for writing.
      return refused(tools, task, call, code);
    }
    return postpone(tools, task, tools.clock.now() + slackRetryMs(task, error.failure));
  }
}

function mayReturn(job: Job, code: string): boolean {
  return isAbsence(code) && !isBetweenPeople(code, job);
}
