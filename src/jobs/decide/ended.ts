import { type AgentJob, isEnded } from '../agent-job.ts';
import type { AgentFailure } from '../failure.ts';
import type { Stage } from '../job.ts';
import { endedIntervalMs, endedRetryMs, LOOKED_AT_FOR_MS } from '../schedule.ts';
import type { Draft } from './draft.ts';
import { noteFacts, tellEnded, tellLink } from './tell.ts';

/** An outage may be long, but looks that fail must not go on for ever. */
const GIVEN_UP_AFTER_MS = 2 * LOOKED_AT_FOR_MS;

type Ended = Extract<Stage, { kind: 'ended' }>;

/**
 * The turn is over, as far as anybody can tell. The end is provisional: the agent may take up a follow-up late, a
 * link may come late, and somebody else may go on with the job.
 */
export function endTurn(draft: Draft, status: Ended['status'], turnsToCome: number): void {
  const { nowMs } = draft.context;
  draft.change({
    stage: { kind: 'ended', status, sinceMs: nowMs, ...(turnsToCome > 0 && { turnsToCome }) },
  });
  planLook(draft, nowMs);
}

/** Something may come of the job from now on: it is looked at as if it had ended just now. */
export function lookFromNow(draft: Draft, ended: Ended): void {
  const { nowMs } = draft.context;
  draft.change({ stage: { ...ended, sinceMs: nowMs } });
  planLook(draft, nowMs);
}

/** A look at a job that had ended: what is not as it was told is told now. */
export function endedJobChecked(draft: Draft, ended: Ended, agentJob: AgentJob): void {
  const before = draft.job.agentJob;
  const { status } = agentJob;
  draft.change({ checkedAtMs: draft.context.nowMs });
  noteFacts(draft, agentJob);
  if (!isEnded(status)) {
    goesOn(draft, ended, status, before?.prLink ?? null);
    return;
  }
  if (status === ended.status && agentJob.prLink === before?.prLink) {
    planLook(draft, ended.sinceMs ?? 0);
    return;
  }
  endTurn(draft, status, ended.turnsToCome ?? 0);
  tellEnded(draft, agentJob, status, before?.prLink ?? null);
  tellLink(draft, agentJob);
  draft.refreshCard();
}

/** The look may be the one that sees what nobody else will tell: it is made again. */
export function endedCheckFailed(draft: Draft, ended: Ended, failure: AgentFailure): void {
  const { nowMs, jitter } = draft.context;
  const unchangedMs = nowMs - (ended.sinceMs ?? 0);
  if (unchangedMs > GIVEN_UP_AFTER_MS) return;
  const waitMs = Math.max(endedRetryMs(unchangedMs, jitter), failure.retryAfterMs ?? 0);
  draft.schedule('check_ended_job', nowMs + waitMs);
}

/**
 * The job is watched again. If a reply of ours explains it, its receipt and the card say so. Else the thread is told,
 * by the next look: one answer that is out of date is no news.
 */
function goesOn(draft: Draft, ended: Ended, status: string, previousPrLink: string | null): void {
  const { nowMs, policy } = draft.context;
  const turnsToCome = ended.turnsToCome ?? 0;
  draft.change({
    stage: {
      kind: 'working',
      turnStartedAtMs: nowMs,
      isOlder: true,
      settle: {
        untilMs: nowMs,
        previousStatus: ended.status,
        previousPrLink,
        seenActive: true,
        turnsToCome: Math.max(0, turnsToCome - 1),
      },
    },
  });
  if (status === 'active' && turnsToCome > 0) draft.change({ told: { status, turn: draft.job.turn } });
  draft.schedule('check_job', nowMs + policy.pollMinIntervalMs);
  draft.refreshCard();
}

function planLook(draft: Draft, sinceMs: number): void {
  const { nowMs, policy, jitter } = draft.context;
  const waitMs = endedIntervalMs(nowMs - sinceMs, policy, jitter);
  if (waitMs !== null) draft.schedule('check_ended_job', nowMs + waitMs);
}
