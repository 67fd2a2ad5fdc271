import { factsOf } from '../../../engine/apply-event.ts';
import type { DueCall, Wait } from '../../../engine/run-lane.ts';
import { TooLateToSendError } from '../../../engine/runtime/exchange.ts';
import type { CallOutcome } from '../../../jobs/call.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { initiatorOf, type Job } from '../../../jobs/job.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import { PLACE_IS_GONE } from '../../../store/queries/places.ts';
import type { ClaimedTask, LedgerCall } from '../../../store/store.ts';
import {
  classOf,
  INVALID_CURSOR,
  isNotInChannel,
  isPlaceClosed,
  NOT_SEEN,
} from '../../protocol/error-codes.ts';
import { isBetweenPeople } from '../../views/thread/requester.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { SlackCallError, type SlackFailure, tooLate } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { HELD_FOR_MS, PLACE_WAITED_FOR_MS, type SlackTools, slackRetryMs } from '../refresh/refresh.ts';
import { destinationOf } from '../render.ts';

/** People need not know of a shorter delay. */
const NOTIFIED_AFTER_MS = 120_000;
/** A note for one person: later, the person has moved on. */
const EPHEMERAL_TRIED_FOR_MS = 60_000;

export interface PostResult {
  /** Absent: the call stays as it is. */
  readonly outcome?: CallOutcome;
  readonly event?: JobEvent | null;
  /** Slack starts or stops delaying the post. */
  readonly hold?: 'begins' | 'ends';
  /** Its thread was unknown until now, so replies in it were missed. */
  readonly wantsCatchUp?: true;
  /** Absent: the lane continues. */
  readonly wait?: Wait;
}

export interface Attempt extends DueCall {
  readonly task: ClaimedTask;
  readonly failure: SlackFailure;
  readonly nowMs: number;
}

export function factsOfPost({ call: { id, request }, job }: DueCall) {
  return { call_id: id, call: request.kind, ...factsOf(job) };
}

export function failureIn(thrown: unknown, method: string): SlackFailure {
  const error = thrown instanceof TooLateToSendError ? tooLate(method) : thrown;
  if (error instanceof SlackCallError) return error.failure;
  throw error;
}

/** What Slack has done counts even without the lease. */
export function stillCounts(result: PostResult, { state }: LedgerCall, isHeld: boolean): PostResult | null {
  const isOpen = state === 'pending' || state === 'started';
  return isOpen && (isHeld || result.outcome?.state === 'done') ? result : null;
}

export function posted({ request }: LedgerCall, ts: string): PostResult {
  const outcome = { state: 'done', detail: ts } as const;
  if (request.kind === 'post_card') return { outcome, event: { type: 'card_posted', ts } };
  const said = request.kind === 'announce' ? request.announcement : null;
  if (said?.kind === 'draft') return { outcome, event: { type: 'draft_posted', draft: said.number, ts } };
  if (said?.kind !== 'follow_up') return { outcome };
  const { userId, text } = said;
  return { outcome, event: { type: 'follow_up_shown', messageTs: ts, userId, text } };
}

export function draftIn({ request }: Pick<LedgerCall, 'request'>) {
  return request.kind === 'announce' && request.announcement.kind === 'draft' ? request.announcement : null;
}

/** Slack refuses it. `reason` is its error code. */
export function refused(call: LedgerCall, reason: string): PostResult {
  return { outcome: { state: 'failed', detail: reason }, event: refusal(call, reason) };
}

/** How long a request waits until the bot is invited. */
const INVITATION_WAITED_FOR_MS = 86_400_000;

/** Its place is closed to the bot and may open again; until then, the post is kept. */
export function mayWaitForPlace({ call, job, failure: { code }, nowMs }: Attempt): boolean {
  const { request, createdAtMs, heldSinceMs } = call;
  if (!isPlaceClosed(code) || heldSinceMs === PLACE_IS_GONE) return false;
  const waitedMs = nowMs - createdAtMs;
  if (request.kind === 'notify_channel') return waitedMs < PLACE_WAITED_FOR_MS;
  if (request.kind === 'post_card' || draftIn(call) !== null) {
    return startMayWait(job, code) && waitedMs < INVITATION_WAITED_FOR_MS;
  }
  // A reply written in the form goes to the agent at once, with or without its message.
  const isKept = request.kind === 'announce' && request.announcement.kind !== 'follow_up';
  return isKept && !isBetweenPeople(code, job) && waitedMs < PLACE_WAITED_FOR_MS;
}

/**
 * A workflow's step does not wait for people. Where nobody can be told of a refusal, administrators see on
 * the home tab what waits.
 */
function startMayWait(job: Job, code: string): boolean {
  if (job.origin.kind === 'workflow') return false;
  return initiatorOf(job) === null || (isNotInChannel(code) && !isBetweenPeople(code, job));
}

/** Slack refuses it there until people change something. */
export function waitForPlace(attempt: Attempt): PostResult {
  const { call, failure } = attempt;
  return {
    outcome: { state: 'retry', detail: failure.code },
    event: delay(call, failure.code),
    wait: retryOf(attempt),
  };
}

function retryOf({ task, failure, nowMs }: Attempt): Wait {
  return { retryAtMs: nowMs + slackRetryMs(task, failure) };
}

/** Who learns that it waits; null: only administrators, on the home tab. */
function delay(call: LedgerCall, reason: string): JobEvent | null {
  const { id, request } = call;
  if (request.kind === 'notify_channel') return refusal(call, reason);
  if (request.kind !== 'announce' || draftIn(call) !== null) return cardDelayed(call, reason);
  return { type: 'post_delayed', callId: id, announcement: request.announcement, reason };
}

/** It may have been shown; showing it twice would only confuse. */
export function dropped(reason: string): PostResult {
  return { outcome: { state: 'failed', detail: `may have been shown: ${reason}` } };
}

/** Nothing happened: the lane waits, then repeats the call. */
export function retryLater(attempt: Attempt): PostResult {
  const { call, failure } = attempt;
  const { code, needsAdmin, isPassing } = failure;
  const isWorthNotifying = needsAdmin || (isPassing && isHeldForLong(attempt));
  return {
    outcome: { state: 'retry', detail: code },
    event: isWorthNotifying ? cardDelayed(call, code) : null,
    ...(isPassing && { hold: 'begins' }),
    wait: retryOf(attempt),
  };
}

/** Slack would go on refusing it. */
export function isTriedForLong({ call, failure: { isPassing }, nowMs }: Attempt): boolean {
  if (call.request.kind === 'ephemeral') return nowMs - call.createdAtMs > EPHEMERAL_TRIED_FOR_MS;
  return isPassing && call.heldSinceMs !== null && nowMs - call.heldSinceMs > HELD_FOR_MS;
}

function isHeldForLong({ call: { heldSinceMs }, nowMs }: Attempt): boolean {
  return nowMs - (heldSinceMs ?? nowMs) >= NOTIFIED_AFTER_MS;
}

function cardDelayed({ request }: LedgerCall, reason: string): JobEvent | null {
  if (request.kind !== 'post_card') return null;
  if (isNotInChannel(reason)) return { type: 'card_delayed', reason, waitsFor: 'invitation' };
  const isForAdmin = classOf(reason) === 'admin';
  return { type: 'card_delayed', reason, ...(isForAdmin && { waitsFor: 'administrator' }) };
}

function refusal({ id, request }: LedgerCall, reason: string): JobEvent | null {
  switch (request.kind) {
    case 'post_card':
      return { type: 'card_refused', reason };
    case 'notify_channel':
      return { type: 'notice_refused', channelId: request.channelId, reason };
    case 'announce':
      return { type: 'post_refused', callId: id, announcement: request.announcement, reason };
    case 'tell_paused':
      return { type: 'pause_refused' };
    default:
      return null;
  }
}

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
