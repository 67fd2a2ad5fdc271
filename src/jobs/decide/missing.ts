import type { AgentFailure } from '../failure.ts';
import type { Draft } from './draft.ts';

/** What stays away for so long is gone, whoever says so. */
const GONE_AFTER_MS = 3_600_000;
/** After so long without an answer, nobody knows whether the job was away all the time. */
const UNSEEN_AFTER_MS = GONE_AFTER_MS / 2;
/** A person who replied is told the API's own words after so long. */
const PATIENCE_MS = 120_000;

/** A 404: the job may be gone, or a gateway does not find the API. */
export function isMissing({ reason }: AgentFailure): boolean {
  return reason === 'not_found' || reason === 'no_such_path';
}

export function noteMissing(draft: Draft): void {
  const { nowMs } = draft.context;
  const { missing } = draft.job;
  const isStill = missing != null && nowMs - missing.untilMs < UNSEEN_AFTER_MS;
  draft.change({ missing: { sinceMs: isStill ? missing.sinceMs : nowMs, untilMs: nowMs } });
}

/** Any other answer, or none at all: the time of a job that is gone begins anew. */
export function noteNotMissing(draft: Draft): void {
  if (draft.job.missing != null) draft.change({ missing: null });
}

/**
 * Whether the job is gone, and may be run again without two agents at the same work: it was gone already, or has been
 * missing for an hour, or the API says so in its own words for a whole settle window and knows other jobs meanwhile.
 */
export function isGone(draft: Draft, failure: AgentFailure, othersAnsweredAtMs: number | null): boolean {
  const { stage, missing } = draft.job;
  const { nowMs, policy } = draft.context;
  if (!isMissing(failure)) return false;
  if (stage.kind === 'ended' && stage.status === 'vanished') return true;
  if (missing == null) return false;
  if (nowMs - missing.sinceMs >= GONE_AFTER_MS) return true;
  const isSaid = failure.reason === 'not_found' && nowMs - missing.sinceMs >= policy.settleWindowMs;
  return isSaid && othersAnsweredAtMs !== null && othersAnsweredAtMs > missing.sinceMs;
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
