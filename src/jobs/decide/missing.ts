import type { AgentFailure } from '../failure.ts';
import type { Draft } from './draft.ts';

/** What stays away for so long is gone, whoever says so. */
const GONE_AFTER_MS = 3_600_000;
/** A person who replied is told the API's own words after so long. */
const PATIENCE_MS = 120_000;

/** A 404: the job may be gone, or a gateway does not find the API. */
export function isMissing({ reason }: AgentFailure): boolean {
  return reason === 'not_found' || reason === 'no_such_path';
}

export function noteMissing(draft: Draft): void {
  if (draft.job.missingSinceMs == null) draft.change({ missingSinceMs: draft.context.nowMs });
}

export function noteFound(draft: Draft): void {
  if (draft.job.missingSinceMs != null) draft.change({ missingSinceMs: null });
}

/**
 * Whether the job is gone, and may be run again without two agents at the same work: it was gone already, or has been
 * missing for an hour, or the API says so in its own words for a whole settle window and knows other jobs meanwhile.
 */
export function isGone(draft: Draft, failure: AgentFailure, othersAnsweredAtMs: number | null): boolean {
  const { stage, missingSinceMs } = draft.job;
  const { nowMs, policy } = draft.context;
  if (!isMissing(failure)) return false;
  if (stage.kind === 'ended' && stage.status === 'vanished') return true;
  if (missingSinceMs == null) return false;
  if (nowMs - missingSinceMs >= GONE_AFTER_MS) return true;
  const isSaid = failure.reason === 'not_found' && nowMs - missingSinceMs >= policy.settleWindowMs;
  return isSaid && othersAnsweredAtMs !== null && othersAnsweredAtMs > missingSinceMs;
}

/** Whether the replies that met a 404 wait for the job to be found again. */
export function isWaitedFor(draft: Draft, failure: AgentFailure, isJobGone: boolean): boolean {
  if (isJobGone) return false;
  if (failure.reason === 'no_such_path') return true;
  const { trouble, stage } = draft.job;
  // A job that has failed or was archived is tried once, and the API's answer is shown.
  if (stage.kind === 'ended' && stage.status !== 'completed') return false;
  const sinceMs = trouble?.source === 'send' ? trouble.sinceMs : draft.context.nowMs;
  return draft.context.nowMs - sinceMs < PATIENCE_MS;
}

/** A new job may not be readable everywhere yet, and a gateway may miss one for a moment: no news for the thread. */
export function isMissedForAMoment({ job, context }: Draft): boolean {
  if (job.missingSinceMs == null) return false;
  return context.nowMs - job.missingSinceMs < context.policy.settleWindowMs;
}
