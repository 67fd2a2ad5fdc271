import { factsOf } from '../../../engine/job-facts.ts';
import type { Job } from '../../../jobs/job.ts';
import type { CallOutcome, ClaimedTask, LedgerCall, Transaction } from '../../../store/store.ts';
import { isNotInChannel } from '../../protocol/absence.ts';
import { isBetweenPeople } from '../../views/thread/requester.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError, type SlackFailure } from '../../workspace/web-api/failure.ts';
import type { DuePost } from './due-post.ts';
import { destinationOf } from './render-post.ts';
import {
  defer,
  dropped,
  lookAgain,
  notSeen,
  type PostTools,
  posted,
  refused,
  type SlackCall,
  settle,
  waitForSight,
} from './settle-post.ts';

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

/** A person waits: what Slack does not let the bot see for so long is told to be unclear. */
const LOOKED_FOR_MS = 30 * 60_000;
/** Slack answers, and does not show what there is. While it does not answer at all, nobody could be told either. */
const OUT_OF_SIGHT = new Set([TOO_MANY_MESSAGES, 'missing_scope', 'ratelimited']);
const INVALID_CURSOR = 'invalid_cursor';

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
  const look = tools.looks.get(call.id) ?? { beganAtMs: nowMs, cursor: null };
  tools.looks.set(call.id, look);
  try {
    const post = { ...destination, callId: call.id };
    const ts = await workspace.poster.find(post, sinceMs, sinceMs + ARRIVES_WITHIN_MS, look);
    tools.looks.delete(call.id);
    const outcome = ts === null ? 'absent' : 'adopted';
    const lag = ts === null ? {} : { lag_ms: nowMs - call.wantedAtMs };
    tools.log.info('post_looked_for', { ...facts, outcome, ...lag });
    if (ts !== null) {
      // If it is the card: its thread was not known until now, so replies in it were not taken for follow-ups.
      return await posted(tools, task, call, ts, (tx) => tx.catchUps.want(job, nowMs));
    }
    // Asked for after the look: it may have slept in the middle.
    const sureAtMs = Math.max(sinceMs, tools.clock.awakeSinceMs()) + ABSENT_AFTER_MS;
    if (look.beganAtMs < sureAtMs) return await defer(tools, task, sureAtMs);
    const endHold = (tx: Transaction) => tx.calls.endHold(call.id);
    return await settle(tools, task, call, again, null, call.heldSinceMs === null ? null : endHold);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    if (failure.code === INVALID_CURSOR) tools.looks.delete(call.id);
    const next = whatNext(tools, call, job, failure);
    const isOver = next === 'refuse' || next === 'give_up';
    if (isOver) tools.looks.delete(call.id);
    const seen = { ...facts, outcome: isOver ? 'given_up' : 'failed', reason: failure.code };
    tools.log[next === 'give_up' ? 'error' : 'warn']('post_looked_for', seen);
    if (failure.needsAdmin) tools.log.error('slack_needs_admin', { ...facts, reason: failure.code });
    switch (next) {
      case 'refuse':
        return refused(tools, task, call, failure.code);
      case 'give_up':
        return notSeen(tools, task, call, failure.code);
      case 'wait':
        return waitForSight(tools, task, call, failure);
      case 'look_again':
        return lookAgain(tools, task, call, failure);
    }
  }
}

type Next = 'refuse' | 'give_up' | 'wait' | 'look_again';

function whatNext({ clock }: PostTools, call: LedgerCall, job: Job, failure: SlackFailure): Next {
  const { code, outcome, needsAdmin, isPassing } = failure;
  if (code === INVALID_CURSOR) return 'look_again';
  const nowMs = clock.now();
  const sinceMs = call.startedAtMs ?? call.wantedAtMs;
  const isCard = call.request.kind === 'post_card';
  const cardMayWait = isCard && nowMs < sinceMs + CARD_LOOKED_FOR_MS;
  // Refused, there is no way to look: the channel is gone for reading and for writing.
  if (outcome === 'refused') return cardMayWait && mayReturn(job, code) ? 'wait' : 'refuse';
  if (!isPassing && !OUT_OF_SIGHT.has(code)) return 'look_again';
  if (cardMayWait && needsAdmin) return 'wait';
  const heldMs = nowMs - Math.max(call.heldSinceMs ?? nowMs, sinceMs);
  return heldMs < LOOKED_FOR_MS ? 'wait' : 'give_up';
}

function mayReturn(job: Job, code: string): boolean {
  return isNotInChannel(code) && !isBetweenPeople(code, job);
}
