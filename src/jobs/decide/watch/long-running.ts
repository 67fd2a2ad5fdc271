import type { JobEvent } from '../../event.ts';
import { type Job, watchQuestionOf } from '../../job.ts';
import { isWaitOn } from '../../schedule/schedule.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';

export function askIfLong(builder: DecisionBuilder): void {
  const { stage, watchQuestions } = builder.job;
  if (stage.kind !== 'working' || stage.question?.answer === null) return;
  const { nowMs, policy } = builder;
  const { turnStartedAtMs: sinceMs } = stage;
  if (nowMs < (stage.askFromMs ?? sinceMs + policy.longRunningAfterMs)) return;
  const number = watchQuestions + 1;
  builder.change({
    watchQuestions: number,
    stage: { ...stage, question: { number, answer: null } },
  });
  builder.announce({ kind: 'long_running', question: number, sinceMs, lastedMs: nowMs - sinceMs });
}

export const watchDeciders = {
  keep_watching_pressed(builder, { question: number }) {
    const stage = stageWithQuestion(builder, number);
    if (stage?.question?.answer !== null) return;
    builder.change({
      stage: { ...stage, question: { number, answer: 'keep' }, askFromMs: nextAskMs(builder) },
    });
    builder.schedule('check_job');
  },

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

  resume_watching_pressed(builder, { question: number }) {
    const stage = stageWithQuestion(builder, number);
    if (stage?.question?.answer !== 'stop') return;
    const { question: _answered, ...watched } = stage;
    builder.change({ stage: { ...watched, askFromMs: nextAskMs(builder) } });
    builder.schedule('check_job');
    builder.refreshCard();
  },
} satisfies Partial<Deciders>;

function stageWithQuestion({ job: { stage } }: DecisionBuilder, number: number) {
  return stage.kind === 'working' && stage.question?.number === number ? stage : null;
}

function nextAskMs({ nowMs, policy }: DecisionBuilder) {
  return nowMs + policy.longRunningAfterMs;
}

export const NEWS_MAX = 8;
export const NEWS_WINDOW_MS = 600_000;
const SHORTEST_PAUSE_MS = NEWS_WINDOW_MS;
const LONGEST_PAUSE_MS = 3_600_000;

/** Everything after these is news. */
const ACTS: ReadonlySet<JobEvent['type']> = new Set([
  'reply_received',
  'follow_up_written',
  'draft_started',
  'start_again_pressed',
  'start_another_pressed',
  'request_edited',
  'agent_job_named',
  'start_dismissed',
  'resend_pressed',
  'send_now_pressed',
  'send_anyway_pressed',
  'correction_pressed',
  'keep_watching_pressed',
  'stop_watching_pressed',
  'stop_pressed',
  'resume_watching_pressed',
  'job_created',
  'job_found',
  'message_accepted',
]);

export function isPaused({ recentNews }: Pick<Job, 'recentNews'>, nowMs: number): boolean {
  return isWaitOn(recentNews?.pausedUntilMs ?? 0, LONGEST_PAUSE_MS, nowMs);
}

/** False: too much news; drop the event. */
export function countNews(builder: DecisionBuilder, event: JobEvent, before: Job): boolean {
  const { nowMs } = builder;
  const { recentNews } = builder.job;
  if (ACTS.has(event.type)) {
    if (recentNews == null) return true;
    const { job, followUps, calls } = builder.decision();
    const hasEffect = job !== before || followUps.length > 0 || calls.length > 0;
    if (!hasEffect) return true;
    if (isPaused(job, nowMs)) {
      checkAt(builder, nowMs);
      builder.refreshCard();
    }
    builder.change({ recentNews: null });
    return true;
  }
  if (event.type !== 'job_checked' && event.type !== 'check_failed') return true;
  const isNews = builder.job.posts > before.posts;
  const wasPaused = recentNews?.pausedUntilMs != null;
  if (!isNews && !wasPaused) return true;
  const atMs = (recentNews?.atMs ?? []).filter((toldAtMs) =>
    isWaitOn(toldAtMs + NEWS_WINDOW_MS, NEWS_WINDOW_MS, nowMs),
  );
  if (isNews && atMs.length >= NEWS_MAX) return false;
  const pauses = recentNews?.pauses ?? 0;
  builder.change({ recentNews: { atMs: isNews ? [...atMs, nowMs] : atMs, pauses, pausedUntilMs: null } });
  if (wasPaused) builder.refreshCard();
  return true;
}

export function pauseLooks(builder: DecisionBuilder): void {
  const { nowMs } = builder;
  const { atMs = [], pauses = 0 } = builder.job.recentNews ?? {};
  const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
  builder.change({ recentNews: { atMs, pauses: pauses + 1, pausedUntilMs: nowMs + pauseMs } });
  builder.announce({ kind: 'keeps_changing', pauseMs });
  checkAt(builder, nowMs + pauseMs);
  builder.refreshCard();
}

export function checkAt(builder: DecisionBuilder, atMs: number): void {
  const { stage } = builder.job;
  if (stage.kind === 'ended') builder.schedule('check_ended_job', atMs);
  if (stage.kind === 'working') builder.schedule('check_job', atMs);
}
