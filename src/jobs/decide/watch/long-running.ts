import { type Working, watchQuestionOf } from '../../job.ts';
import type { DecisionBuilder } from '../decision-builder.ts';

const UNANSWERED_AFTER_MS = 24 * 3_600_000;

/** The agent works: after a long time, the thread is asked, once, whether to keep watching. */
export function askIfLong(builder: DecisionBuilder): void {
  const { stage, watchQuestions } = builder.job;
  if (stage.kind !== 'working' || stage.question?.answer === null) return;
  const { nowMs, policy } = builder.context;
  if (nowMs < (stage.askFromMs ?? stage.turnStartedAtMs + policy.longRunningAfterMs)) return;
  const number = watchQuestions + 1;
  builder.change({
    watchQuestions: number,
    stage: { ...stage, question: { number, answer: null, openSinceMs: nowMs } },
  });
  const sinceMs = stage.turnStartedAtMs;
  builder.announce({ kind: 'long_running', question: number, sinceMs, lastedMs: nowMs - sinceMs });
}

/** *Keep watching*: the thread is asked again after as much time. */
export function keepWatching(builder: DecisionBuilder, number: number): void {
  const stage = stageWithQuestion(builder, number);
  if (stage?.question?.answer !== null) return;
  builder.change({
    stage: { ...stage, question: { number, answer: 'keep' }, askFromMs: nextAskMs(builder) },
  });
  builder.schedule('check_job', builder.context.nowMs);
}

/** Nobody has answered for a day, and nothing has changed: the job is read rarely. */
export function isNeglected({ job: { stage }, context: { nowMs } }: DecisionBuilder): boolean {
  if (stage.kind !== 'working' || stage.question?.answer !== null) return false;
  return nowMs - (stage.question.openSinceMs ?? 0) >= UNANSWERED_AFTER_MS;
}

/** The agent's state changed: the job is read at its usual pace again, and the day starts over. */
export function noteChange(builder: DecisionBuilder): void {
  const { stage } = builder.job;
  if (stage.kind !== 'working' || stage.question?.answer !== null) return;
  builder.change({
    stage: { ...stage, question: { ...stage.question, openSinceMs: builder.context.nowMs } },
  });
}

/**
 * *Stop watching*, even after *Keep watching*, or before anybody was asked. The agent itself keeps working.
 */
export function stopWatching(builder: DecisionBuilder, number: number): void {
  const { stage, trouble, watchQuestions } = builder.job;
  if (stage.kind !== 'working' || stage.question?.answer === 'stop') return;
  if (number !== watchQuestionOf(builder.job)) return;
  builder.change({
    watchQuestions: Math.max(watchQuestions, number),
    stage: { ...stage, question: { number, answer: 'stop' } },
    trouble: trouble?.source === 'check' ? null : trouble,
  });
  builder.refreshCard();
}

export function resumeWatching(builder: DecisionBuilder, number: number): void {
  const stage = stageWithQuestion(builder, number);
  if (stage?.question?.answer !== 'stop') return;
  const { question: _answered, ...watched } = stage;
  builder.change({ stage: { ...watched, askFromMs: nextAskMs(builder) } });
  builder.schedule('check_job', builder.context.nowMs);
  builder.refreshCard();
}

/** Null if something else has been asked since, or the turn is over. */
function stageWithQuestion({ job: { stage } }: DecisionBuilder, number: number): Working | null {
  return stage.kind === 'working' && stage.question?.number === number ? stage : null;
}

function nextAskMs({ context }: DecisionBuilder): number {
  return context.nowMs + context.policy.longRunningAfterMs;
}
