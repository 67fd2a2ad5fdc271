import { factsOf } from '../../../engine/apply-event.ts';
import type { DueCall, Wait } from '../../../engine/run-lane.ts';
import { TooLateToSendError } from '../../../engine/runtime/exchange.ts';
import type { CallOutcome } from '../../../jobs/call.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { initiatorOf, type Job } from '../../../jobs/job.ts';
import { PLACE_IS_GONE } from '../../../store/queries/places.ts';
import type { ClaimedTask, LedgerCall } from '../../../store/store.ts';
import { classOf, isNotInChannel, isPlaceClosed } from '../../protocol/error-codes.ts';
import { isBetweenPeople } from '../../views/thread/requester.ts';
import { SlackCallError, type SlackFailure, tooLate } from '../../workspace/web-api/failure.ts';
import { HELD_FOR_MS, PLACE_WAITED_FOR_MS, slackRetryMs } from '../refresh/refresh.ts';

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

/** A call that Slack has not carried out. */
export interface Attempt extends DueCall {
  readonly task: ClaimedTask;
  readonly failure: SlackFailure;
  /** When that was known. */
  readonly nowMs: number;
}

export function factsOfPost({ call: { id, request }, job }: DueCall) {
  return { call_id: id, call: request.kind, ...factsOf(job) };
}

/** Rethrows what is no failure of Slack's. */
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

/** Null: it is not about a draft. */
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

export function retryOf({ task, failure, nowMs }: Attempt): Wait {
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

export function isHeldForLong({ call: { heldSinceMs }, nowMs }: Attempt): boolean {
  return nowMs - (heldSinceMs ?? nowMs) >= NOTIFIED_AFTER_MS;
}

/** The requester sees no card. */
export function cardDelayed({ request }: LedgerCall, reason: string): JobEvent | null {
  if (request.kind !== 'post_card') return null;
  if (isNotInChannel(reason)) return { type: 'card_delayed', reason, waitsFor: 'invitation' };
  const isForAdmin = classOf(reason) === 'admin';
  return { type: 'card_delayed', reason, ...(isForAdmin && { waitsFor: 'administrator' }) };
}

export function refusal({ id, request }: LedgerCall, reason: string): JobEvent | null {
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
