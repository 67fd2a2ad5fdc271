import type { AgentFailure } from '#jobs/agent-job.ts';
import { isUnattended, type Job } from '#jobs/job.ts';
import {
  type AnsweredCall,
  allowedAtMs,
  type BudgetKind,
  type CallPause,
  type InBudgetQueue,
  isHurried,
  isSame,
  joinedBy,
  nextInLine,
  pauseAfter,
} from '#jobs/schedule/hourly-budget.ts';
import type { Transaction } from '#store/store.ts';
import type { AgentTools } from './agent-tools.ts';

const HOUR_MS = 3_600_000;
const FIRST_LOOKS_AGAIN_MS = 60_000;
/** Usually, the job ahead wakes the next one. */
const LOOKS_IN_LINE_AGAIN_MS = 60_000;
/** A woken job may gather replies or look up names. */
const COMES_WITHIN_MS = 10_000;
/** The program was away: the first in line is woken again. */
const NOBODY_WAS_THERE_MS = 30_000;
const PASSED_FOR_MS = 60_000;

/**
 * Null: allowed. Counts the ledger's calls, which restarts and replicas share. The first start in line asks
 * every minute, and a successful call wakes it (`callNext`).
 */
export async function takeFromBudget(
  { hourlyBudget: perHour, clock }: AgentTools,
  tx: Transaction,
  job: Job,
  kind: BudgetKind,
): Promise<{ readonly failure: AgentFailure; readonly askAgainAtMs: number } | null> {
  const { id: jobId, projectId } = job;
  const pause = isHurried(job, kind) ? null : await tx.budgetQueue.lockPause(projectId, clock.now());
  // From here on, no answer changes the pause or the line.
  const nowMs = clock.now();
  const limited = (status: number | null, message: string, goesAtMs: number, askAgainAtMs = goesAtMs) => {
    const failure = { outcome: 'definite', reason: 'rate_limited', status, message } as const;
    return { failure: { ...failure, retryAfterMs: goesAtMs - nowMs }, askAgainAtMs };
  };
  const startedAtMs = await tx.calls.agentCallsStartedAt(projectId, nowMs - HOUR_MS, nowMs);
  const asking = { jobId, kind, isUnattended: isUnattended(job) };
  const waiting = joinedBy(asking, await tx.budgetQueue.waiting(projectId));
  const goesAtMs = allowedAtMs({ perHour, startedAtMs, waiting }, asking, nowMs);
  if (goesAtMs > nowMs) {
    const ahead = waiting.find(
      (other) => other.kind === 'create_job' && other.isUnattended === asking.isUnattended,
    );
    const isFirst = kind === 'create_job' && ahead?.jobId === jobId;
    const askAgainAtMs = isFirst ? Math.min(goesAtMs, nowMs + FIRST_LOOKS_AGAIN_MS) : goesAtMs;
    return limited(null, `the budget of ${perHour} calls per hour is used up`, goesAtMs, askAgainAtMs);
  }
  if (pause === null) return null;
  const line = nextInLine({ perHour, calls: startedAtMs.length, waiting }, nowMs);
  const place = line.findIndex((one) => isSame(one, asking));
  const turnAtMs = await turnInLineAtMs(pause);
  return turnAtMs === null ? null : limited(429, 'the agent API limits the rate of calls', turnAtMs);

  async function turnInLineAtMs({ atMs, untilMs }: CallPause) {
    if (nowMs < untilMs) return callAtMs(place, untilMs);
    if (await tx.calls.isAgentCallUnderWay(projectId, atMs)) return nowMs + LOOKS_IN_LINE_AGAIN_MS;
    if (place === 0) return null;
    const calledForMs = nowMs - untilMs;
    if (calledForMs >= NOBODY_WAS_THERE_MS) {
      await tx.budgetQueue.changePause(projectId, (before) => before && { ...before, untilMs: nowMs }, nowMs);
    } else if (calledForMs >= COMES_WITHIN_MS) {
      await tx.budgetQueue.pass(line.slice(0, place), nowMs + PASSED_FOR_MS);
      return null;
    }
    await callFirst(tx, line, nowMs);
    return callAtMs(place, nowMs);
  }
}

function callAtMs(place: number, firstAtMs: number) {
  if (place === 0) return firstAtMs;
  return firstAtMs + (place === 1 ? COMES_WITHIN_MS : LOOKS_IN_LINE_AGAIN_MS);
}

/** The second is woken in case the first does not come. */
async function callFirst(tx: Transaction, line: readonly InBudgetQueue[], firstAtMs: number) {
  for (const [place, { jobId, kind }] of line.slice(0, 2).entries()) {
    const atMs = callAtMs(place, firstAtMs);
    await tx.tasks.runNowUnlessLocked('call_agent', `agent:${jobId}`, atMs);
    if (kind === 'send_message') await tx.tasks.runNowUnlessLocked('send_follow_ups', jobId, atMs);
  }
}

export async function noteAnswer(
  { log }: AgentTools,
  tx: Transaction,
  projectId: string,
  answered: AnsweredCall,
  { nowMs, jitter }: { nowMs: number; jitter: number },
): Promise<CallPause | null> {
  const { answer, startedAtMs } = answered;
  const change = (before: CallPause | null) => pauseAfter(before, answered, nowMs, jitter);
  const pause = await tx.budgetQueue.changePause(projectId, change, nowMs);
  // An accepted call disproves a pause of the reads.
  if (answer === 'taken' && (await tx.readBudget.endPause(projectId, startedAtMs, nowMs))) {
    await tx.tasks.runGroupNow('check_job', `${projectId}/`, nowMs);
    await tx.checks.refreshCardsOf(projectId, nowMs);
  }
  if (pause !== null && answer === 'limited') {
    log.warn('calls_paused', { project_id: projectId, pause_ms: pause.untilMs - nowMs });
  }
  return pause;
}

/**
 * After a failure, wakes no start: the starts in line would only wake each other. Returns when the answered
 * job may go again, if it is in line.
 */
export async function callNext(
  { hourlyBudget }: AgentTools,
  tx: Transaction,
  { id, projectId }: Job,
  { pause, isTaken }: { pause: CallPause | null; isTaken: boolean },
  nowMs: number,
): Promise<number | null> {
  if (pause === null && !isTaken) return null;
  const line = await lineOf(tx, projectId, hourlyBudget, nowMs);
  if (pause !== null && line.length > 0) {
    const firstAtMs = Math.max(pause.untilMs, nowMs);
    await callFirst(tx, line, firstAtMs);
    const place = line.findIndex(({ jobId }) => jobId === id);
    return place < 0 ? null : callAtMs(place, firstAtMs);
  }
  if (pause !== null && isTaken) await tx.budgetQueue.changePause(projectId, () => null, nowMs);
  const start = line.find(({ kind }) => kind === 'create_job');
  if (start !== undefined) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${start.jobId}`, nowMs);
  return null;
}

/** The job's replies wait for the rate limit and are next in line. */
export async function isNextInLine(
  { hourlyBudget, clock }: AgentTools,
  tx: Transaction,
  jobId: string,
): Promise<boolean> {
  const job = await tx.jobs.get(jobId);
  if (job === null || (job.sendNotBeforeMs ?? 0) <= clock.now()) return false;
  await tx.jobs.lockOnly(jobId);
  const pause = await tx.budgetQueue.lockPause(job.projectId, clock.now());
  const nowMs = clock.now();
  if (pause === null || nowMs < pause.untilMs) return false;
  const [first] = await lineOf(tx, job.projectId, hourlyBudget, nowMs);
  return first?.jobId === jobId && first.kind === 'send_message';
}

async function lineOf(tx: Transaction, projectId: string, perHour: number, nowMs: number) {
  const waiting = await tx.budgetQueue.waiting(projectId);
  if (waiting.length === 0) return [];
  const calls = await tx.calls.agentCallsSince(projectId, nowMs - HOUR_MS);
  return nextInLine({ perHour, calls, waiting }, nowMs);
}
