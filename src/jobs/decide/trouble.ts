import type { AgentFailure } from '../failure.ts';
import type { Job, Trouble, TroubleKind } from '../job.ts';
import { retryDelayMs } from '../schedule.ts';
import type { Draft } from './draft.ts';
import { isMissing } from './missing.ts';

/** Short outages are not worth a message in the thread; the card shows them at once. */
const MISSES_BEFORE_TELLING = 3;
/** The card says until when the job waits, to the minute. */
const WORTH_AN_EDIT_MS = 60_000;

/** Notes that something holds the job up, tells the thread when it lasts, and returns when to try again. */
export function noteTrouble(draft: Draft, source: Trouble['source'], failure: AgentFailure): number {
  const { nowMs, jitter, policy } = draft.context;
  const kind = lastingKind(draft.job, failure);
  // An API that limits the rate can be reached; our own budget says nothing of it.
  if (kind === 'rate_limited' && failure.status !== null && draft.job.trouble?.kind === 'unreachable')
    endTrouble(draft, draft.job.trouble);
  // Our own budget does not end an outage that the thread was told of: its end must be told, too.
  const { trouble } = draft.job;
  if (kind === 'rate_limited' && failure.status === null && trouble?.kind === 'unreachable' && trouble.told) {
    const retryAtMs = nowMs + (failure.retryAfterMs || retryDelayMs(1, jitter));
    draft.change({ trouble: { ...trouble, retryAtMs } });
    return retryAtMs;
  }
  const before = draft.job.trouble?.kind === kind ? draft.job.trouble : null;
  const misses = (before?.misses ?? 0) + 1;
  // A `Retry-After` of zero, again and again, must not become a loop without a pause.
  const retryAtMs = nowMs + (failure.retryAfterMs || retryDelayMs(misses, jitter));
  const sinceMs = before?.sinceMs ?? nowMs;
  // A new job may not be found everywhere yet, and a gateway may miss one for a moment: no news for the thread.
  const isForAMoment = isMissing(failure) && nowMs - sinceMs < policy.settleWindowMs;
  const isLasting = misses >= MISSES_BEFORE_TELLING && !isForAMoment;
  const tellNow = before?.told !== true && (isLasting || isWorthTelling(kind, source));
  draft.change({
    trouble: {
      kind,
      // A rate limit of the sends outlasts one of the reads, which must not take its place.
      source: before?.kind === 'rate_limited' && before.source === 'send' ? 'send' : source,
      sinceMs,
      misses,
      retryAtMs,
      told: tellNow || before?.told === true,
    },
  });
  if (tellNow) {
    const words = kind === 'needs_admin' && failure.words !== undefined ? { words: failure.words } : {};
    draft.announce({ kind: 'trouble', trouble: kind, retryAtMs, ...words });
  }
  if (before === null || tellNow || Math.abs(retryAtMs - before.retryAtMs) > WORTH_AN_EDIT_MS)
    draft.refreshCard();
  return retryAtMs;
}

/**
 * Ends the trouble that a success proves to be over. Any answer shows that the API can be reached and takes the
 * key, but reads and sends have rate limits of their own, and sends may fail while reads succeed.
 */
export function clearTrouble(draft: Draft, source: Trouble['source']): void {
  const { trouble } = draft.job;
  if (trouble === null || (trouble.source !== source && isStillHeldUp(draft, trouble))) return;
  endTrouble(draft, trouble);
}

/** Nothing waits to be sent any more: what held the sending up is of no interest to anybody. */
export function forgetSendTrouble(draft: Draft): void {
  const { trouble, agentJob } = draft.job;
  if (trouble?.source === 'send' && agentJob !== null && !isStillHeldUp(draft, trouble)) {
    draft.change({ trouble: null });
  }
}

function isStillHeldUp(draft: Draft, trouble: Trouble): boolean {
  if (trouble.source === 'check') return trouble.kind === 'rate_limited';
  return draft.followUpsIn('waiting').length > 0 || draft.followUpsIn('sending').length > 0;
}

/** Whatever held the job up does so no more: a thread that was told of it is told of its end, too. */
export function endTrouble(draft: Draft, trouble: Trouble): void {
  if (trouble.told && trouble.kind !== 'rate_limited') draft.announce({ kind: 'recovered' });
  draft.change({ trouble: null });
  draft.refreshCard();
}

/** That an administrator must act is true until a call succeeds: told anew at every other failure, it would be noise. */
function lastingKind({ trouble, agentJob }: Job, failure: AgentFailure): TroubleKind {
  return trouble?.kind === 'needs_admin' ? 'needs_admin' : troubleKind(failure, agentJob !== null);
}

function troubleKind(failure: AgentFailure, isCreated: boolean): TroubleKind {
  switch (failure.reason) {
    case 'rate_limited':
      return 'rate_limited';
    case 'not_found':
      // What was created is missed by a gateway, or it is gone: no administrator can tell.
      return isCreated ? 'unreachable' : 'needs_admin';
    case 'unauthorized':
    case 'rejected':
      return 'needs_admin';
    case 'no_such_path':
    case 'unreachable':
    case 'server_error':
    case 'bad_answer':
      return 'unreachable';
  }
}

function isWorthTelling(kind: TroubleKind, source: Trouble['source']): boolean {
  return kind === 'needs_admin' || (kind === 'rate_limited' && source === 'send');
}
