import { type AgentFailure, type AgentJob, isEnded } from '../../agent-job.ts';
import type { DecisionContext } from '../../decision.ts';
import type { FollowUp } from '../../follow-ups/follow-up.ts';
import {
  type EndBefore,
  type Ended,
  isUnseen,
  isUnwatched,
  type Job,
  type Settle,
  type Stage,
  type Working,
  workingSince,
} from '../../job.ts';
import {
  CLOCKS_DIFFER_MS,
  cardIntervalMs,
  checkIntervalMs,
  dueTogetherMs,
  endedIntervalMs,
  endedRetryMs,
  isWaitOn,
  LOOKED_AT_FOR_MS,
  neglectedIntervalMs,
} from '../../schedule/schedule.ts';
import {
  announceEnd,
  announceLikelyEnd,
  announceLink,
  announceRunning,
  asKnown,
  countReplies,
  forgetStatuses,
  noteStatus,
  recordFacts,
  replaceAgentJob,
  turnNewsOf,
  untold,
} from '../announce.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { clearTrouble, noteTrouble } from '../trouble.ts';
import { askIfLong, isNeglected, isPaused, noteChange, waitOutPause } from './long-running.ts';
import { isGone, isMissing, noteMissing, noteNotMissing } from './verdict.ts';

/** An outage may be long, but failing checks must end. */
const GIVEN_UP_AFTER_MS = 2 * LOOKED_AT_FOR_MS;

export const checkDeciders = {
  job_checked(builder, { agentJob: answer }) {
    const agentJob = asKnown(builder, answer);
    const { stage } = builder.job;
    if (builder.job.agentJob?.id !== agentJob.id || isUnwatched(builder.job)) return;
    if (isPaused(builder.job, builder.context.nowMs)) {
      waitOutPause(builder);
      return;
    }
    noteNotMissing(builder);
    if (stage.kind === 'working') {
      clearTrouble(builder, 'check');
      builder.change({ checkedAtMs: builder.context.nowMs });
      observe(builder, stage, agentJob);
    } else if (stage.kind === 'ended') {
      endedJobChecked(builder, stage, agentJob);
    }
  },

  check_failed(builder, { agentJobId, failure, othersAnsweredAtMs }) {
    const { job } = builder;
    if (job.agentJob?.id !== agentJobId || isUnwatched(job)) return;
    if (isPaused(job, builder.context.nowMs)) {
      waitOutPause(builder);
      return;
    }
    if (!isMissing(failure)) noteNotMissing(builder);
    if (job.stage.kind === 'ended') endedCheckFailed(builder, job.stage, failure);
    if (job.stage.kind !== 'working') return;
    if (isMissing(failure)) noteMissing(builder);
    // What somebody asked to watch may have a typo.
    const wasNeverThere = isUnseen(job);
    const isSaidToBeWrong = wasNeverThere && failure.reason === 'not_found';
    if (!isSaidToBeWrong && !isGone(builder, failure, othersAnsweredAtMs)) {
      builder.schedule('check_job', noteTrouble(builder, 'check', failure));
      return;
    }
    if (job.trouble?.source === 'check') builder.change({ trouble: null });
    endTurn(builder, 'vanished', job.stage.settle?.turnsToCome ?? 0);
    if (noteStatus(builder, 'vanished'))
      builder.announce({ kind: wasNeverThere ? 'no_such_job' : 'vanished' });
    builder.change({ lastAnnounced: { status: 'vanished', turn: job.turn } });
    builder.refreshCard();
  },
} satisfies Partial<Deciders>;

/** Compares the job with what was announced, so a missed step heals here. */
export function observe(builder: DecisionBuilder, stage: Working, agentJob: AgentJob): void {
  const { nowMs, lateMs = 0 } = builder.context;
  const hasChanged = recordFacts(builder, agentJob);
  const againMs = cardIntervalMs({ turnAgeMs: nowMs - stage.turnStartedAtMs, lateMs });
  if (!hasChanged) builder.schedule('refresh_card', nowMs + againMs, 'keep');
  const { status } = agentJob;
  if (!isEnded(status)) {
    if (status === 'active' && stage.settle?.seenActive === false) seenAtWork(builder, stage, stage.settle);
    announceRunning(builder, status);
    if (hasChanged) noteChange(builder);
    askIfLong(builder);
    scheduleCheck(builder);
  } else if (isTurnOver(stage.settle, agentJob, builder.context)) {
    const { posts } = builder.job;
    endTurn(builder, status, turnsToComeAfter(stage.settle, agentJob));
    announceEnd(builder, agentJob, status, lastedMs(stage, agentJob, nowMs));
    if (stage.endBefore !== undefined && builder.job.posts === posts) restoreEnd(builder, stage.endBefore);
    builder.refreshCard();
  } else {
    scheduleCheck(builder);
    announceLikelyEnd(builder, agentJob, status);
  }
}

/** A follow-up was accepted: the previous turn's state is not believed for a while. */
export function startTurn(
  builder: DecisionBuilder,
  answer: AgentJob | null,
  replies: readonly FollowUp[],
): void {
  const { context } = builder;
  const isOfJob = answer !== null && answer.id === builder.job.agentJob?.id;
  const before = isOfJob && isEnded(answer.status) ? answer : builder.job.agentJob;
  if (isOfJob) replaceAgentJob(builder, answer);
  // It may still describe the previous turn. Its outcome is announced now, since the new turn will hide it.
  if (isOfJob && isEnded(answer.status)) announceLink(builder, answer);
  countReplies(builder, replies);
  const { job } = builder;
  // The state before an earlier follow-up that the API has not shown to have taken yet.
  const unsettled =
    job.stage.kind === 'working' && job.stage.settle?.seenActive === false ? job.stage.settle : null;
  const isTurnBeforeOver = unsettled !== null && isOfJob && isEndAfter(unsettled, answer);
  const previous: Pick<Settle, 'previousStatus' | 'previousPrLink' | 'previousStatuses'> | null =
    isTurnBeforeOver ? { previousStatus: answer.status, previousPrLink: answer.prLink } : unsettled;
  const settle: Settle = {
    untilMs: context.nowMs + context.policy.settleWindowMs,
    previousStatus: job.stage.kind === 'ended' ? job.stage.status : (previous?.previousStatus ?? null),
    previousPrLink: previous === null ? (before?.prLink ?? null) : previous.previousPrLink,
    previousStatuses: previous?.previousStatuses ?? turnNewsOf(job).statuses,
    seenActive: false,
    turnsToCome: turnsToComeOf(job.stage) + (isTurnBeforeOver ? 0 : 1),
  };
  const isAtWork = job.stage.kind === 'working' && job.stage.isOlder !== true;
  const workingSinceMs = isAtWork ? workingSince(job.stage) : context.nowMs;
  builder.change({
    stage: { kind: 'working', turnStartedAtMs: context.nowMs, workingSinceMs, settle },
    turn: job.turn + 1,
  });
  scheduleCheck(builder);
  builder.refreshCard();
}

/** The agent may have taken a message whose call had no clear answer, which may become a turn, too. */
export function expectTurn(builder: DecisionBuilder): void {
  const { job, context } = builder;
  const turnsToCome = turnsToComeOf(job.stage) + 1;
  if (job.stage.kind === 'ended') builder.change({ stage: { ...job.stage, turnsToCome } });
  if (job.stage.kind !== 'working') return;
  const settled = { untilMs: context.nowMs, previousStatus: null, previousPrLink: null, seenActive: true };
  builder.change({ stage: { ...job.stage, settle: { ...(job.stage.settle ?? settled), turnsToCome } } });
}

/** If a likely end of this turn was announced, the receipt of the reply shows that it continues. */
function seenAtWork(builder: DecisionBuilder, stage: Working, settle: Settle): void {
  builder.change({ stage: { ...stage, settle: takenUp(settle) } });
  const { lastAnnounced: last, turn } = builder.job;
  if (last?.turn === turn && isEnded(last.status)) {
    builder.change({ lastAnnounced: { status: 'active', turn } });
    forgetStatuses(builder);
  }
}

/** The agent works. That may still be the previous turn, if the job seemed active then. */
function takenUp(settle: Settle): Settle {
  const { previousStatus, turnsToCome = 0 } = settle;
  return {
    ...settle,
    seenActive: true,
    turnsToCome: Math.max(0, turnsToCome - (previousStatus === null ? 0 : 1)),
  };
}

/** How many follow-ups may still become turns after a believed end. */
function turnsToComeAfter(settle: Settle | null, agentJob: AgentJob): number {
  if (settle === null) return 0;
  const isSeenToBeTakenUp = !settle.seenActive && isAnotherEnd(settle, agentJob);
  return (isSeenToBeTakenUp ? takenUp(settle) : settle).turnsToCome ?? 0;
}

function turnsToComeOf(stage: Stage): number {
  const from = stage.kind === 'working' ? stage.settle : stage.kind === 'ended' ? stage : null;
  return from?.turnsToCome ?? 0;
}

/**
 * The rule of product.md: a turn that followed a finished one is over when the job was seen active since,
 * when its status or link has changed, or when the settle window has passed. If the job seemed active when
 * the follow-up went out, an ending may still be the previous turn's.
 */
function isTurnOver(settle: Settle | null, agentJob: AgentJob, { nowMs, policy }: DecisionContext): boolean {
  if (settle === null || settle.seenActive) return true;
  if (!isWaitOn(settle.untilMs, policy.settleWindowMs, nowMs)) return true;
  return isEndAfter(settle, agentJob);
}

/** Whether the end is certainly not the one known when the follow-up went out. */
function isEndAfter(settle: Settle, agentJob: AgentJob): boolean {
  return isEnded(agentJob.status) && settle.previousStatus !== null && isAnotherEnd(settle, agentJob);
}

/** How long the agent worked; null if its start is unknown, or its end was not seen to be its own. */
function lastedMs(stage: Working, agentJob: AgentJob, nowMs: number): number | null {
  const { isOlder, settle } = stage;
  const isSeen = settle === null || settle.seenActive || isAnotherEnd(settle, agentJob);
  return isOlder === true || !isSeen ? null : Math.max(0, nowMs - workingSince(stage));
}

function isAnotherEnd(settle: Settle, { status, prLink }: AgentJob): boolean {
  const { previousStatus, previousStatuses = [], previousPrLink } = settle;
  const isAnotherStatus = status !== previousStatus && !previousStatuses.includes(status);
  return isAnotherStatus || prLink !== previousPrLink;
}

function scheduleCheck(builder: DecisionBuilder): void {
  const { stage } = builder.job;
  if (stage.kind !== 'working') return;
  const { nowMs, policy, jitter, lateMs = 0 } = builder.context;
  const turnAgeMs = nowMs - stage.turnStartedAtMs;
  const waitMs = isNeglected(builder)
    ? neglectedIntervalMs(policy)
    : checkIntervalMs({ turnAgeMs, lateMs }, policy, jitter);
  builder.schedule('check_job', dueTogetherMs(nowMs + waitMs));
}

/**
 * The end is provisional: the agent may take a follow-up late, a link may arrive late, and somebody else may
 * continue the job.
 */
function endTurn(builder: DecisionBuilder, status: Ended['status'], turnsToCome: number): void {
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
function restoreEnd(builder: DecisionBuilder, { turnReplies, ...times }: EndBefore): void {
  const { stage } = builder.job;
  if (stage.kind !== 'ended') return;
  builder.change({ stage: { ...stage, ...times }, ...(turnReplies !== undefined && { turnReplies }) });
  planLook(builder, times.sinceMs);
}

/** Announces what the thread does not know of this turn. */
function endedJobChecked(builder: DecisionBuilder, ended: Ended, agentJob: AgentJob): void {
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
function endedCheckFailed(builder: DecisionBuilder, ended: Ended, failure: AgentFailure): void {
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
