import type { AgentFailure } from '../../agent-job.ts';
import type { BudgetKind } from '../../schedule/hourly-budget.ts';
import { isWaitOn } from '../../schedule/schedule.ts';
import type { DecisionBuilder } from '../decision-builder.ts';

/**
 * What a failed create or message call means. `retry`: nothing happened, so it repeats by itself. `refused`:
 * the API will not accept it. `unknown`: a person decides.
 */
export type Verdict = 'retry' | 'refused' | 'unknown';

export function verdictOn(failure: AgentFailure): Verdict {
  if (failure.outcome === 'unknown') return 'unknown';
  switch (failure.reason) {
    case 'rate_limited':
    case 'unreachable':
    case 'unauthorized':
    // A create can only miss the project, which an administrator fixes; for a message see `isWaitedFor`.
    case 'not_found':
    case 'no_such_path':
      return 'retry';
    case 'rejected':
    case 'server_error':
    case 'bad_answer':
      return 'refused';
  }
}

export function settleFailed(
  builder: DecisionBuilder,
  call: BudgetKind,
  callId: string,
  failure: AgentFailure,
): Verdict {
  const verdict = verdictOn(failure);
  // A repeated message call gets its replies anew, together with later ones.
  const ifRepeated = call === 'create_job' ? 'retry' : 'not_made';
  const state = { unknown: 'unknown', refused: 'failed', retry: ifRepeated } as const;
  builder.settle(callId, state[verdict], `${failure.reason}: ${failure.message}`);
  return verdict;
}

/** A job missing this long is treated as gone. */
const GONE_AFTER_MS = 3_600_000;
/** After this long without an answer, it is unknown whether the job was missing all the time. */
const UNSEEN_AFTER_MS = GONE_AFTER_MS / 2;
/** After this long, a person who replied gets the API's own words. */
const PATIENCE_MS = 120_000;

/** A 404: the job may be gone, or a gateway does not find the API. */
export function isMissing({ reason }: AgentFailure): boolean {
  return reason === 'not_found' || reason === 'no_such_path';
}

export function noteMissing(builder: DecisionBuilder): void {
  const { nowMs } = builder.context;
  const { missing } = builder.job;
  const isStill = missing != null && isWaitOn(missing.untilMs + UNSEEN_AFTER_MS, UNSEEN_AFTER_MS, nowMs);
  builder.change({ missing: { sinceMs: isStill ? missing.sinceMs : nowMs, untilMs: nowMs } });
}

/** The time after which a job counts as gone starts over. */
export function noteNotMissing(builder: DecisionBuilder): void {
  if (builder.job.missing != null) builder.change({ missing: null });
}

/**
 * Whether the job is gone, and may run again without two agents at the same work: it was gone already, or has
 * been missing for an hour, or the API says so in its own words for a whole settle window while it knows
 * other jobs.
 */
export function isGone(
  builder: DecisionBuilder,
  failure: AgentFailure,
  othersAnsweredAtMs: number | null = null,
): boolean {
  const { stage, missing } = builder.job;
  const { nowMs, policy } = builder.context;
  if (!isMissing(failure)) return false;
  if (stage.kind === 'ended' && stage.status === 'vanished') return true;
  if (missing == null) return false;
  if (nowMs - missing.sinceMs >= GONE_AFTER_MS) return true;
  const isSaid = failure.reason === 'not_found' && nowMs - missing.sinceMs >= policy.settleWindowMs;
  return isSaid && othersAnsweredAtMs !== null && othersAnsweredAtMs > missing.sinceMs;
}

/** Whether the replies that met a 404 wait for the job to be found again. */
export function isWaitedFor(builder: DecisionBuilder, failure: AgentFailure, isJobGone: boolean): boolean {
  if (isJobGone) return false;
  if (failure.reason === 'no_such_path') return true;
  const { trouble, stage } = builder.job;
  // A failed or archived job is tried once, and the API's answer is shown.
  if (stage.kind === 'ended' && stage.status !== 'completed') return false;
  const sinceMs = trouble?.source === 'send' ? trouble.sinceMs : builder.context.nowMs;
  return builder.context.nowMs - sinceMs < PATIENCE_MS;
}
