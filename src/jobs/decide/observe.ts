import { type AgentFailure, type AgentJob, type EndedStatus, isEnded } from '../agent-job.ts';
import type { FollowUp } from '../follow-ups/follow-up.ts';
import {
  type EndBefore,
  type Ended,
  isUnseen,
  isUnwatched,
  type Job,
  type Settle,
  type Stage,
  type Working,
  watchQuestionOf,
  workingSince,
} from '../job.ts';
import {
  CLOCKS_DIFFER_MS,
  checkIntervalMs,
  dueTogetherMs,
  endedIntervalMs,
  isWaitOn,
} from '../schedule/schedule.ts';
import type { Deciders, DecisionBuilder } from './decision-builder.ts';
import { clearTrouble, isGone, isMissing, noteMissing, noteTrouble } from './failures.ts';
import {
  announceEnd,
  announceLink,
  announceRunning,
  countReplies,
  newLink,
  noteActive,
  noteStatus,
  recordFacts,
  replaceAgentJob,
  stoppedBy,
  turnNewsOf,
  uncountedReplies,
} from './turn-news.ts';

export const checkDeciders = {
  job_checked(builder, { agentJob, before }) {
    if (!isExpected(builder, agentJob.id)) return;
    const { stage } = builder.job;
    // The answer may be older than what was recorded meanwhile.
    if (before !== undefined && !isAsBefore(builder.job, before)) {
      if (stage.kind === 'ended') checkFrom(builder, stage);
      return scheduleCheck(builder);
    }
    noteMissing(builder, null);
    builder.change({ checkedAtMs: builder.nowMs });
    if (stage.kind === 'ended') observeEnded(builder, stage, agentJob);
    if (stage.kind !== 'working') return;
    clearTrouble(builder, 'check');
    observe(builder, stage, agentJob);
  },

  check_failed(builder, { agentJobId, failure, othersAnsweredAtMs }) {
    const { job, nowMs } = builder;
    const { stage } = job;
    if (!isExpected(builder, agentJobId)) return;
    if (stage.kind === 'working' || !isMissing(failure)) noteMissing(builder, failure);
    if (stage.kind === 'ended') checkFrom(builder, withPastEnd(stage, nowMs), failure);
    if (stage.kind !== 'working') return;
    // A typo in *watch*.
    const isWrongId = isUnseen(job) && failure.reason === 'not_found';
    if (!isWrongId && !isGone(builder, failure, othersAnsweredAtMs)) {
      builder.schedule('check_job', noteTrouble(builder, 'check', failure));
      return;
    }
    if (job.trouble?.source === 'check') builder.change({ trouble: null });
    endTurn(builder, 'vanished');
    if (noteStatus(builder, 'vanished')) builder.announce({ kind: 'vanished' });
    builder.refreshCard();
  },

  keep_watching_pressed: (builder, { question }) => watchOn(builder, question, null, 'keep'),
  resume_watching_pressed: (builder, { question }) => watchOn(builder, question, 'stop', null),

  stop_watching_pressed(builder, { question: number, userId, inSession }) {
    const { stage, trouble, watchQuestions } = builder.job;
    if (stage.kind !== 'working' || stage.question?.answer === 'stop') return;
    if (number !== watchQuestionOf(builder.job)) return;
    builder.change({
      watchQuestions: Math.max(watchQuestions, number),
      stage: { ...stage, question: { number, answer: 'stop' } },
      trouble: trouble?.source === 'check' ? null : trouble,
    });
    if (inSession && userId !== undefined) builder.announce({ kind: 'unwatched', userId });
    builder.refreshCard();
  },
} satisfies Partial<Deciders>;

function isAsBefore({ turn, agentJob }: Job, before: Job) {
  const { agentJob: known } = before;
  return turn === before.turn && agentJob?.status === known?.status && agentJob?.prLink === known?.prLink;
}

function isExpected(builder: DecisionBuilder, agentJobId: string) {
  const { job, nowMs } = builder;
  if (job.agentJob?.id !== agentJobId || isUnwatched(job)) return false;
  if (!isPaused(job, nowMs)) return true;
  checkAt(builder, job.recentNews?.pausedUntilMs ?? nowMs);
  return false;
}

/** Compares with what was announced, not with the last check. */
export function observe(builder: DecisionBuilder, stage: Working, agentJob: AgentJob): void {
  const { nowMs } = builder;
  const { settle } = stage;
  recordFacts(builder, agentJob);
  const { status } = agentJob;
  if (!isEnded(status)) {
    if (status === 'active' && settle?.seenActive === false) {
      takeUp(builder, stage, settle);
      const { lastAnnounced: last, turn } = builder.job;
      if (last?.turn === turn && isEnded(last.status)) noteActive(builder);
    }
    announceRunning(builder, status);
    noteActivity(builder, agentJob.activity);
    askIfLong(builder);
    scheduleCheck(builder);
  } else if (isTurnOver(builder, settle, agentJob)) {
    const isOwnEnd = settle === null || settle.seenActive || isAnotherEnd(settle, agentJob);
    if (settle?.seenActive === false && isOwnEnd) takeUp(builder, stage, settle);
    const isTimed = isOwnEnd && stage.isOlder !== true;
    const lastedMs = isTimed ? Math.max(0, nowMs - workingSince(stage)) : null;
    endAndAnnounce(builder, agentJob, status, lastedMs, stage.endBefore);
  } else {
    scheduleCheck(builder);
    // A failure waits: it asks for a decision.
    const hasNewLink = newLink(builder.job, agentJob) !== null;
    if (status === 'completed' && hasNewLink) announceEnd(builder, agentJob, status, null);
  }
}

const ACTIVITY_SPACING_MS = 15_000;

function noteActivity(builder: DecisionBuilder, words = '') {
  const { stage } = builder.job;
  const { nowMs } = builder;
  if (stage.kind !== 'working' || words === (stage.activity?.words ?? '')) return;
  const dueAtMs = (stage.activity?.sinceMs ?? 0) + ACTIVITY_SPACING_MS;
  if (isWaitOn(dueAtMs, ACTIVITY_SPACING_MS, nowMs)) return;
  builder.change({ stage: { ...stage, activity: { words, sinceMs: nowMs } } });
  builder.refreshCard();
}

export function startTurn(
  builder: DecisionBuilder,
  answer: AgentJob | null,
  replies: readonly FollowUp[],
): void {
  const { nowMs, policy } = builder;
  const own = answer?.id === builder.job.agentJob?.id ? answer : null;
  const isEndedAnswer = own !== null && isEnded(own.status);
  const previousPrLink = (isEndedAnswer ? own : builder.job.agentJob)?.prLink ?? null;
  if (own !== null) replaceAgentJob(builder, own);
  // The new turn will hide this result.
  if (isEndedAnswer) announceLink(builder, own);
  countReplies(builder, replies);
  const { job } = builder;
  const { stage } = job;
  const working = stage.kind === 'working' ? stage : null;
  // From an earlier follow-up, not visibly started.
  const unsettled = working?.settle?.seenActive === false ? working.settle : null;
  const isTurnBeforeOver = unsettled !== null && own !== null && isEndAfter(unsettled, own);
  const previous = isTurnBeforeOver
    ? { previousStatus: own.status, previousPrLink: own.prLink }
    : (unsettled ?? { previousStatus: stage.kind === 'ended' ? stage.status : null, previousPrLink });
  const settle = {
    previousStatuses: turnNewsOf(job).statuses,
    ...previous,
    untilMs: nowMs + policy.settleWindowMs,
    seenActive: false,
    turnsToCome: turnsToComeOf(stage) + (isTurnBeforeOver ? 0 : 1),
  };
  // Services with capabilities stay active until all turns are over.
  const isTakenUp = own?.can !== undefined && own.status === 'active';
  builder.change({
    stage: {
      kind: 'working',
      turnStartedAtMs: nowMs,
      workingSinceMs: working === null || working.isOlder === true ? nowMs : workingSince(working),
      settle: isTakenUp ? null : settle,
      stopBy: working?.stopBy,
    },
    turn: job.turn + 1,
  });
  scheduleCheck(builder);
  builder.refreshCard();
}

/** While the answer to a message is late, a check may already find what its turn came to. */
export function isEndSeen({ job }: DecisionBuilder, answer: AgentJob | null): boolean {
  const { stage, agentJob: seen } = job;
  if (stage.kind !== 'ended' || answer === null || !isEnded(answer.status)) return false;
  const { prLink } = answer;
  return prLink !== null && prLink !== seen?.prLink && turnNewsOf(job).links.includes(prLink);
}

export function expectTurn(builder: DecisionBuilder): void {
  const { stage } = builder.job;
  const turnsToCome = turnsToComeOf(stage) + 1;
  if (stage.kind === 'ended') builder.change({ stage: { ...stage, turnsToCome } });
  if (stage.kind !== 'working') return;
  const over = { untilMs: builder.nowMs, previousStatus: null, previousPrLink: null, seenActive: true };
  builder.change({ stage: { ...stage, settle: { ...(stage.settle ?? over), turnsToCome } } });
}

/** If the job seemed active before, this may still be the previous turn. */
function takeUp(builder: DecisionBuilder, stage: Working, settle: Settle) {
  const isPrevious = settle.previousStatus === null;
  const turnsToCome = Math.max(0, turnsToComeOf(stage) - (isPrevious ? 0 : 1));
  builder.change({ stage: { ...stage, settle: { ...settle, seenActive: true, turnsToCome } } });
}

function turnsToComeOf(stage: Stage) {
  const from = stage.kind === 'working' ? stage.settle : stage.kind === 'ended' ? stage : null;
  return from?.turnsToCome ?? 0;
}

function isTurnOver({ context }: DecisionBuilder, settle: Settle | null, agentJob: AgentJob) {
  if (settle === null || settle.seenActive) return true;
  if (!isWaitOn(settle.untilMs, context.policy.settleWindowMs, context.nowMs)) return true;
  return isEndAfter(settle, agentJob);
}

function isEndAfter(settle: Settle, agentJob: AgentJob) {
  return isEnded(agentJob.status) && settle.previousStatus !== null && isAnotherEnd(settle, agentJob);
}

function isAnotherEnd(settle: Settle, { status, prLink }: AgentJob) {
  const { previousStatus, previousStatuses = [], previousPrLink } = settle;
  const isAnotherStatus = status !== previousStatus && !previousStatuses.includes(status);
  return isAnotherStatus || prLink !== previousPrLink;
}

function scheduleCheck(builder: DecisionBuilder) {
  const { stage } = builder.job;
  if (stage.kind !== 'working') return;
  const { nowMs, policy, jitter, lateMs = 0 } = builder.context;
  const turnAgeMs = nowMs - stage.turnStartedAtMs;
  const waitMs = checkIntervalMs({ turnAgeMs, lateMs }, policy, jitter);
  builder.schedule('check_job', dueTogetherMs(nowMs + waitMs));
}

/** Provisional: a follow-up or a link may arrive late. */
function endTurn(builder: DecisionBuilder, status: Ended['status'], by?: Ended['stoppedBy']) {
  const { nowMs } = builder;
  const { stage, turn, requestedAtMs } = builder.job;
  const turnsToCome = turnsToComeOf(stage);
  let tookMs = stage.kind === 'ended' ? stage.tookMs : undefined;
  if (stage.kind === 'working' && stage.isOlder !== true)
    tookMs = nowMs - (turn === 1 ? requestedAtMs : workingSince(stage));
  checkFrom(builder, {
    kind: 'ended',
    status,
    sinceMs: nowMs,
    ...(turnsToCome > 0 && { turnsToCome }),
    tookMs,
    stoppedBy: by,
  });
}

/** After a failure. Longer waits suit only jobs that were seen unchanged. */
const LONGEST_ENDED_RETRY_MS = 30 * 60_000;

export function checkFrom(builder: DecisionBuilder, stage: Ended, failure?: AgentFailure): void {
  const { nowMs, policy, jitter } = builder.context;
  if (stage !== builder.job.stage) builder.change({ stage });
  const usualMs = endedIntervalMs(nowMs - stage.sinceMs, policy, jitter);
  if (usualMs === null) return;
  const waitMs = failure
    ? Math.max(Math.min(usualMs, LONGEST_ENDED_RETRY_MS), failure.retryAfterMs ?? 0)
    : usualMs;
  builder.schedule('check_ended_job', nowMs + waitMs);
}

/** Without news, the job only seemed to continue: the end before holds. */
function endAndAnnounce(
  builder: DecisionBuilder,
  agentJob: AgentJob,
  status: EndedStatus,
  lastedMs: number | null,
  endBefore: EndBefore | undefined,
) {
  const { posts } = builder.job;
  endTurn(builder, status, stoppedBy(builder, agentJob));
  announceEnd(builder, agentJob, status, lastedMs);
  builder.refreshCard();
  const { stage } = builder.job;
  if (endBefore === undefined || builder.job.posts > posts || stage.kind !== 'ended') return;
  const { turnReplies, ...times } = endBefore;
  checkFrom(builder, { ...stage, ...times });
  if (turnReplies !== undefined) builder.change({ turnReplies });
}

function observeEnded(builder: DecisionBuilder, ended: Ended, agentJob: AgentJob) {
  const { job, nowMs, policy } = builder;
  const { status } = agentJob;
  const { kind: _kind, status: previousStatus, turnsToCome = 0, ...times } = ended;
  const endBefore = { ...times, turnReplies: job.turnReplies };
  const previousPrLink = job.agentJob?.prLink ?? null;
  recordFacts(builder, agentJob);
  if (isEnded(status)) {
    if (status === previousStatus && agentJob.prLink === previousPrLink)
      return checkFrom(builder, withPastEnd(ended, nowMs));
    return endAndAnnounce(builder, agentJob, status, null, endBefore);
  }
  // The next check announces it: one outdated answer is no news.
  const isExplained = turnsToCome > 0;
  builder.change({
    stage: {
      kind: 'working',
      turnStartedAtMs: nowMs,
      isOlder: true,
      ...(!isExplained && { endBefore }),
      settle: {
        untilMs: nowMs,
        previousStatus,
        previousPrLink,
        seenActive: true,
        turnsToCome: Math.max(0, turnsToCome - 1),
      },
    },
    turnReplies: isExplained ? uncountedReplies(job) : null,
  });
  if (isExplained && status === 'active') noteActive(builder);
  builder.schedule('check_job', nowMs + policy.pollMinIntervalMs);
  builder.refreshCard();
}

/** A clock that was ahead may have set `sinceMs`. */
function withPastEnd(ended: Ended, nowMs: number) {
  return ended.sinceMs <= nowMs + CLOCKS_DIFFER_MS ? ended : { ...ended, sinceMs: nowMs };
}

function askIfLong(builder: DecisionBuilder) {
  const { stage, watchQuestions } = builder.job;
  if (stage.kind !== 'working' || stage.question?.answer === null) return;
  const { nowMs, policy } = builder;
  const { turnStartedAtMs, askFromMs = turnStartedAtMs + policy.longRunningAfterMs } = stage;
  if (nowMs < askFromMs) return;
  const number = watchQuestions + 1;
  builder.change({
    watchQuestions: number,
    stage: { ...stage, question: { number, answer: null } },
  });
  builder.announce({ kind: 'long_running', question: number, lastedMs: nowMs - turnStartedAtMs });
}

function watchOn(builder: DecisionBuilder, number: number, from: 'stop' | null, to: 'keep' | null) {
  const { job, nowMs, policy } = builder;
  const { stage } = job;
  if (stage.kind !== 'working' || stage.question?.number !== number || stage.question.answer !== from) return;
  const question = to === null ? undefined : { number, answer: to };
  builder.change({ stage: { ...stage, question, askFromMs: nowMs + policy.longRunningAfterMs } });
  builder.schedule('check_job');
  builder.refreshCard();
}

export const LONGEST_NEWS_PAUSE_MS = 3_600_000;

export function isPaused({ recentNews }: Pick<Job, 'recentNews'>, nowMs: number): boolean {
  return isWaitOn(recentNews?.pausedUntilMs ?? 0, LONGEST_NEWS_PAUSE_MS, nowMs);
}

export function checkAt(builder: DecisionBuilder, atMs: number): void {
  const { stage } = builder.job;
  if (stage.kind === 'ended') builder.schedule('check_ended_job', atMs);
  if (stage.kind === 'working') builder.schedule('check_job', atMs);
}
