import { type AgentFailure, type AgentJob, isEnded } from '../../agent-job.ts';
import { type EndBefore, type Ended, type Job, workingSince } from '../../job.ts';
import {
  CLOCKS_DIFFER_MS,
  endedIntervalMs,
  endedRetryMs,
  LOOKED_AT_FOR_MS,
} from '../../schedule/schedule.ts';
import { announceEnd, forgetStatuses, recordFacts, untold } from '../announce.ts';
import type { DecisionBuilder } from '../decision-builder.ts';

/** An outage may be long, but failing checks must end. */
const GIVEN_UP_AFTER_MS = 2 * LOOKED_AT_FOR_MS;

/**
 * The end is provisional: the agent may take a follow-up late, a link may arrive late, and somebody else may
 * continue the job.
 */
export function endTurn(builder: DecisionBuilder, status: Ended['status'], turnsToCome: number): void {
  const { nowMs } = builder.context;
  const tookMs = durationOf(builder.job, nowMs);
  builder.change({
    stage: {
      kind: 'ended',
      status,
      sinceMs: nowMs,
      ...(turnsToCome > 0 && { turnsToCome }),
      ...(tookMs !== undefined && { tookMs }),
    },
  });
  planLook(builder, nowMs);
}

/** For the requester, the first turn began with the request. */
function durationOf({ stage, turn, requestedAtMs }: Job, nowMs: number): number | undefined {
  if (stage.kind === 'ended') return stage.tookMs;
  if (stage.kind !== 'working' || stage.isOlder === true) return undefined;
  return nowMs - (turn === 1 ? requestedAtMs : workingSince(stage));
}

/** The job may change: it is checked as if it had ended just now. */
export function lookFromNow(builder: DecisionBuilder, ended: Ended): void {
  const { nowMs } = builder.context;
  builder.change({ stage: { ...ended, sinceMs: nowMs } });
  planLook(builder, nowMs);
}

/** It only seemed to continue: the checks go on where they were. */
export function restoreEnd(builder: DecisionBuilder, { turnReplies, ...times }: EndBefore): void {
  const { stage } = builder.job;
  if (stage.kind !== 'ended') return;
  builder.change({ stage: { ...stage, ...times }, ...(turnReplies !== undefined && { turnReplies }) });
  planLook(builder, times.sinceMs);
}

/** Announces what the thread does not know of this turn. */
export function endedJobChecked(builder: DecisionBuilder, ended: Ended, agentJob: AgentJob): void {
  const before = builder.job.agentJob;
  const { status } = agentJob;
  builder.change({ checkedAtMs: builder.context.nowMs });
  recordFacts(builder, agentJob);
  if (!isEnded(status)) {
    goesOn(builder, ended, status, before?.prLink ?? null);
    return;
  }
  if (status === ended.status && agentJob.prLink === before?.prLink) {
    planLook(builder, unchangedSinceMs(builder, ended));
    return;
  }
  const { posts } = builder.job;
  endTurn(builder, status, ended.turnsToCome ?? 0);
  announceEnd(builder, agentJob, status, null);
  builder.refreshCard();
  if (builder.job.posts === posts) restoreEnd(builder, endBeforeOf(ended, builder.job));
}

/** This check may be the only one to see a change, so it is repeated. */
export function endedCheckFailed(builder: DecisionBuilder, ended: Ended, failure: AgentFailure): void {
  const { nowMs, jitter } = builder.context;
  const unchangedMs = nowMs - unchangedSinceMs(builder, ended);
  if (unchangedMs > GIVEN_UP_AFTER_MS) return;
  const waitMs = Math.max(endedRetryMs(unchangedMs, jitter), failure.retryAfterMs ?? 0);
  builder.schedule('check_ended_job', nowMs + waitMs);
}

/**
 * The job is watched again. If a reply of ours explains it, its receipt and the card say so. Otherwise the
 * next check announces it: a single outdated answer is no news.
 */
function goesOn(builder: DecisionBuilder, ended: Ended, status: string, previousPrLink: string | null): void {
  const { nowMs, policy } = builder.context;
  const turnsToCome = ended.turnsToCome ?? 0;
  const isExplained = turnsToCome > 0;
  builder.change({
    stage: {
      kind: 'working',
      turnStartedAtMs: nowMs,
      isOlder: true,
      ...(!isExplained && { endBefore: endBeforeOf(ended, builder.job) }),
      settle: {
        untilMs: nowMs,
        previousStatus: ended.status,
        previousPrLink,
        seenActive: true,
        turnsToCome: Math.max(0, turnsToCome - 1),
      },
    },
    turnReplies: isExplained ? untold(builder.job) : null,
  });
  if (isExplained && status === 'active') {
    builder.change({ lastAnnounced: { status, turn: builder.job.turn } });
    forgetStatuses(builder);
  }
  builder.schedule('check_job', nowMs + policy.pollMinIntervalMs);
  builder.refreshCard();
}

function endBeforeOf({ sinceMs, tookMs }: Ended, { turnReplies }: Job): EndBefore {
  return { sinceMs, ...(tookMs !== undefined && { tookMs }), turnReplies };
}

function unchangedSinceMs(builder: DecisionBuilder, ended: Ended): number {
  const { nowMs } = builder.context;
  if (ended.sinceMs <= nowMs + CLOCKS_DIFFER_MS) return ended.sinceMs;
  // A clock that was ahead saw the end: the checks would stay close together until that time.
  builder.change({ stage: { ...ended, sinceMs: nowMs } });
  return nowMs;
}

function planLook(builder: DecisionBuilder, sinceMs: number): void {
  const { nowMs, policy, jitter } = builder.context;
  const waitMs = endedIntervalMs(nowMs - sinceMs, policy, jitter);
  if (waitMs !== null) builder.schedule('check_ended_job', nowMs + waitMs);
}
