import type { DueCall } from '../../../engine/run-lane.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { NOT_SEEN } from '../../protocol/error-codes.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../refresh/refresh.ts';
import { destinationOf } from '../render.ts';
import {
  type Attempt,
  cardDelayed,
  draftIn,
  dropped,
  factsOfPost,
  isHeldForLong,
  mayWaitForPlace,
  type PostResult,
  posted,
  refusal,
  refused,
  retryOf,
} from './post-results.ts';

/** It is not in Slack: it is posted again at once. */
const NOT_FOUND = { outcome: { state: 'retry', detail: 'not found in Slack' } } as const;

/** When to look first for an unclear post, from its start: Slack may still be storing it. */
export const FIRST_LOOK_AFTER_MS = 2_000;
/**
 * When a post that is not found is surely absent: its request goes out within twice `SEND_WITHIN_MS` (to make
 * it, and to connect), and Slack gets ten seconds more. Time awake: a request in flight when the machine
 * slept continues when it wakes.
 */
const ABSENT_AFTER_MS = 20_000;
/**
 * Bytes written just before the machine slept reach Slack when it wakes; by this time, Slack has closed the
 * idle connection. It also bounds what is read of a busy channel.
 */
const POST_ARRIVES_WITHIN_MS = 15 * 60_000;

/** A person waits: after this time, the thread says that a hidden post's fate is unclear. */
const LOOKED_FOR_MS = 30 * 60_000;
/**
 * Slack answers, but does not show what is there. If it does not answer at all, nothing could be posted
 * either.
 */
const OUT_OF_SIGHT = new Set([TOO_MANY_MESSAGES, 'missing_scope', 'ratelimited']);
const INVALID_CURSOR = 'invalid_cursor';

/**
 * A card may be visible, and get replies, in a channel that the bot was removed from and may be invited to
 * again.
 */
const CARD_LOOKED_FOR_MS = 86_400_000;

/** How far posts of unknown fate have been looked for, by their calls. Another process starts over. */
export type Looks = Map<string, { readonly beganAtMs: number; cursor: string | null }>;

/** The call's outcome is unknown: adopts the post, or makes the call pending again. */
export async function lookForPost(
  tools: SlackTools,
  looks: Looks,
  task: ClaimedTask,
  due: DueCall,
  { poster }: Workspace,
): Promise<PostResult> {
  const { call, job } = due;
  if (call.request.kind === 'ephemeral') return dropped('interrupted');
  const destination = destinationOf(job, call.request);
  if (destination === null) return NOT_FOUND;
  const startedAtMs = call.startedAtMs ?? call.createdAtMs;
  const nowMs = tools.clock.now();
  // Started by a clock that was ahead, it may have been posted at any recent time.
  const isAhead = startedAtMs > nowMs + CLOCKS_DIFFER_MS;
  const sinceMs = isAhead ? nowMs - CARD_LOOKED_FOR_MS : startedAtMs;
  const untilMs = isAhead ? nowMs : sinceMs + POST_ARRIVES_WITHIN_MS;
  // After a crash, the next process may be here before the dead one's post reaches Slack.
  const firstLookAtMs = sinceMs + FIRST_LOOK_AFTER_MS;
  if (nowMs < firstLookAtMs) return { wait: { delayUntilMs: firstLookAtMs } };
  const facts = factsOfPost(due);
  const look = looks.get(call.id) ?? { beganAtMs: nowMs, cursor: null };
  looks.set(call.id, look);
  try {
    const post = { ...destination, callId: call.id };
    const ts = await poster.find(post, sinceMs, untilMs, look);
    looks.delete(call.id);
    const outcome = ts === null ? 'absent' : 'adopted';
    const lag = ts === null ? {} : { lag_ms: nowMs - call.createdAtMs };
    tools.log.info('post_looked_for', { ...facts, outcome, ...lag });
    if (ts !== null) return { ...posted(call, ts), wantsCatchUp: true };
    // Read after the look, which may have slept in the middle.
    const sureAtMs = Math.max(sinceMs, tools.clock.awakeSinceMs()) + ABSENT_AFTER_MS;
    return look.beganAtMs < sureAtMs ? { wait: { delayUntilMs: sureAtMs } } : { ...NOT_FOUND, hold: 'ends' };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    const result = notLooked({ task, ...due, failure, nowMs: tools.clock.now() });
    // It is refused, or no longer looked for.
    const isOver = result.outcome !== undefined;
    if (isOver || failure.code === INVALID_CURSOR) looks.delete(call.id);
    const seen = { ...facts, outcome: isOver ? 'given_up' : 'failed', reason: failure.code };
    tools.log[result.outcome?.state === 'unknown' ? 'error' : 'warn']('post_looked_for', seen);
    if (failure.needsAdmin) tools.log.error('slack_needs_admin', { ...facts, reason: failure.code });
    return result;
  }
}

function notLooked(attempt: Attempt): PostResult {
  const { call, failure, nowMs } = attempt;
  const { code, outcome, needsAdmin, isPassing } = failure;
  // After a refusal, there is no way to look: the channel is closed for reading and writing.
  if (outcome === 'refused' && code !== INVALID_CURSOR) {
    return mayWaitForPlace(attempt) ? waitUntilReadable(attempt) : refused(call, code);
  }
  // Slack could not be asked, so the lane waits. An outage does not count as hiding the post.
  if (code === INVALID_CURSOR || (!isPassing && !OUT_OF_SIGHT.has(code))) {
    return { hold: 'ends', wait: retryOf(attempt) };
  }
  const sinceMs = call.startedAtMs ?? call.createdAtMs;
  const isYoungCard = call.request.kind === 'post_card' && nowMs < sinceMs + CARD_LOOKED_FOR_MS;
  const heldMs = nowMs - Math.max(call.heldSinceMs ?? nowMs, sinceMs);
  if ((isYoungCard && needsAdmin) || heldMs < LOOKED_FOR_MS) return waitUntilReadable(attempt);
  // It was looked for long enough: the thread says so, and the lane continues.
  const draft = draftIn(call);
  const event =
    draft === null ? refusal(call, NOT_SEEN) : ({ type: 'draft_unseen', draft: draft.number } as const);
  return { outcome: { state: 'unknown', detail: code }, event };
}

/**
 * It may be there, but the bot cannot look now: it is looked for later, and a card's requester is notified.
 */
function waitUntilReadable(attempt: Attempt): PostResult {
  const { call, failure } = attempt;
  const isLasting = failure.outcome === 'refused' || failure.needsAdmin;
  const reason = isLasting ? failure.code : NOT_SEEN;
  return {
    event: isLasting || isHeldForLong(attempt) ? cardDelayed(call, reason) : null,
    hold: 'begins',
    wait: retryOf(attempt),
  };
}
