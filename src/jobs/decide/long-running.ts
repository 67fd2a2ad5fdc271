import type { Stage } from '../job.ts';
import type { Draft } from './draft.ts';

const UNANSWERED_AFTER_MS = 24 * 3_600_000;

type Working = Extract<Stage, { kind: 'working' }>;

/** The agent is at work: if it has been for long, the thread is asked, once, whether to keep watching. */
export function askIfLong(draft: Draft): void {
  const { stage, watchQuestions } = draft.job;
  if (stage.kind !== 'working' || stage.question?.answer === null) return;
  const { nowMs, policy } = draft.context;
  if (nowMs < (stage.askFromMs ?? stage.turnStartedAtMs + policy.longRunningAfterMs)) return;
  const number = watchQuestions + 1;
  draft.change({
    watchQuestions: number,
    stage: { ...stage, question: { number, answer: null, openSinceMs: nowMs } },
  });
  draft.announce({ kind: 'long_running', question: number, sinceMs: stage.turnStartedAtMs });
}

/** *Keep watching*: the thread is asked again when as much time has passed again. */
export function keepWatching(draft: Draft, number: number): void {
  const stage = stageWithQuestion(draft, number);
  if (stage?.question?.answer !== null) return;
  draft.change({ stage: { ...stage, question: { number, answer: 'keep' }, askFromMs: nextAskMs(draft) } });
  draft.schedule('check_job', draft.context.nowMs);
}

/** Nobody has answered for a day, and nothing has changed: the job is read seldom. */
export function isNeglected({ job: { stage }, context: { nowMs } }: Draft): boolean {
  if (stage.kind !== 'working' || stage.question?.answer !== null) return false;
  return nowMs - (stage.question.openSinceMs ?? 0) >= UNANSWERED_AFTER_MS;
}

/** The agent's state has changed: the job is read at its usual pace again, and the day begins anew. */
export function noteChange(draft: Draft): void {
  const { stage } = draft.job;
  if (stage.kind !== 'working' || stage.question?.answer !== null) return;
  draft.change({ stage: { ...stage, question: { ...stage.question, openSinceMs: draft.context.nowMs } } });
}

/** *Stop watching*, also after *Keep watching*. The agent itself goes on. */
export function stopWatching(draft: Draft, number: number): void {
  const stage = stageWithQuestion(draft, number);
  if (stage === null || stage.question?.answer === 'stop') return;
  const { trouble } = draft.job;
  draft.change({
    stage: { ...stage, question: { number, answer: 'stop' } },
    trouble: trouble?.source === 'check' ? null : trouble,
  });
  draft.refreshCard();
}

export function resumeWatching(draft: Draft, number: number): void {
  const stage = stageWithQuestion(draft, number);
  if (stage?.question?.answer !== 'stop') return;
  const { question: _answered, ...watched } = stage;
  draft.change({ stage: { ...watched, askFromMs: nextAskMs(draft) } });
  draft.schedule('check_job', draft.context.nowMs);
  draft.refreshCard();
}

/** Null if something else has been asked since, or the turn is over. */
function stageWithQuestion({ job: { stage } }: Draft, number: number): Working | null {
  return stage.kind === 'working' && stage.question?.number === number ? stage : null;
}

function nextAskMs({ context }: Draft): number {
  return context.nowMs + context.policy.longRunningAfterMs;
}
