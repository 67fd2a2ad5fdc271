import type { AgentFailure } from '../../jobs/agent-job.ts';
import { isUnattended, type Job } from '../../jobs/job.ts';
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
} from '../../jobs/schedule/hourly-budget.ts';
import type { Transaction } from '../../store/store.ts';
import type { AgentTools } from './agent-tools.ts';

const HOUR_MS = 3_600_000;
/** Somebody may withdraw, or the budget may be raised. */
const FIRST_LOOKS_AGAIN_MS = 60_000;
/** Those ahead in line wake the next one. If they cannot, it looks by itself. */
const LOOKS_IN_LINE_AGAIN_MS = 60_000;
/** How long a woken job may take: its replies may be gathered, or its names looked up. */
const COMES_WITHIN_MS = 10_000;
/** If no job has come by then, the program was away, and the first in line is woken again. */
const NOBODY_WAS_THERE_MS = 30_000;
const PASSED_FOR_MS = 60_000;
const TOO_MANY_REQUESTS = 429;

type Tools = Pick<AgentTools, 'hourlyBudget' | 'log'>;

/**
 * Takes a place in the hourly budget of the job's project, or says why and until when it has to wait. Counted
 * from the ledger, which restarts and replicas share. The first start in line asks every minute, and a
 * successful call wakes it (`callNext`), in case a place becomes free early.
 */
export async function takeFromBudget(
  tools: AgentTools,
  tx: Transaction,
  job: Job,
  kind: BudgetKind,
): Promise<{ readonly failure: AgentFailure; readonly askAgainAtMs: number } | null> {
  const nowMs = tools.clock.now();
  const { projectId } = job;
  const startedAtMs = await tx.calls.agentCallsStartedAt(projectId, nowMs - HOUR_MS, nowMs);
  const asking = { jobId: job.id, kind, isUnattended: isUnattended(job) };
  const waiting = joinedBy(asking, await tx.budgetQueue.waiting(projectId));
  const use = { perHour: tools.hourlyBudget, startedAtMs, waiting };
  const goesAtMs = allowedAtMs(use, asking, nowMs);
  if (goesAtMs > nowMs) {
    const ahead = waiting.find(
      (other) => other.kind === 'create_job' && other.isUnattended === asking.isUnattended,
    );
    const isFirst = kind === 'create_job' && ahead?.jobId === job.id;
    const message = `the budget of ${tools.hourlyBudget} calls per hour is used up`;
    return {
      failure: limited(null, message, goesAtMs - nowMs),
      askAgainAtMs: isFirst ? Math.min(goesAtMs, nowMs + FIRST_LOOKS_AGAIN_MS) : goesAtMs,
    };
  }
  const pause = isHurried(job, kind) ? null : await tx.budgetQueue.pause(projectId, nowMs);
  if (pause !== null) {
    const line = nextInLine({ ...use, calls: startedAtMs.length }, nowMs);
    const place = line.findIndex((one) => isSame(one, asking));
    const askAgainAtMs = await waitsInLineUntilMs(tx, projectId, pause, line, place, nowMs);
    if (askAgainAtMs !== null) {
      const message = 'the agent API limits the rate of calls';
      return { failure: limited(TOO_MANY_REQUESTS, message, askAgainAtMs - nowMs), askAgainAtMs };
    }
  }
  return null;
}

function limited(status: number | null, message: string, retryAfterMs: number): AgentFailure {
  return { outcome: 'definite', reason: 'rate_limited', status, message, retryAfterMs };
}

/** When the job at this place in line asks again; null: it is its turn. */
async function waitsInLineUntilMs(
  tx: Transaction,
  projectId: string,
  pause: CallPause,
  line: readonly InBudgetQueue[],
  place: number,
  nowMs: number,
): Promise<number | null> {
  if (nowMs < pause.untilMs) return callAtMs(place, pause.untilMs);
  if (await tx.calls.isAgentCallUnderWay(projectId, pause.atMs)) return nowMs + LOOKS_IN_LINE_AGAIN_MS;
  if (place === 0) return null;
  const calledForMs = nowMs - pause.untilMs;
  if (calledForMs >= COMES_WITHIN_MS && calledForMs < NOBODY_WAS_THERE_MS) {
    await tx.budgetQueue.pass(line.slice(0, place), nowMs + PASSED_FOR_MS);
    return null;
  }
  if (calledForMs >= NOBODY_WAS_THERE_MS)
    await tx.budgetQueue.changePause(projectId, (before) => before && { ...before, untilMs: nowMs }, nowMs);
  await callFirst(tx, line, nowMs);
  return callAtMs(place, nowMs);
}

/** When the job at this place in line has its turn, unless those ahead wake it earlier. */
function callAtMs(place: number, firstAtMs: number): number {
  if (place === 0) return firstAtMs;
  return firstAtMs + (place === 1 ? COMES_WITHIN_MS : LOOKS_IN_LINE_AGAIN_MS);
}

/** Wakes the first in line, and the second in case the first does not come. */
async function callFirst(tx: Transaction, line: readonly InBudgetQueue[], firstAtMs: number): Promise<void> {
  for (const [place, { jobId, kind }] of line.slice(0, 2).entries()) {
    const atMs = callAtMs(place, firstAtMs);
    await tx.tasks.runNowUnlessLocked('call_agent', `agent:${jobId}`, atMs);
    if (kind === 'send_message') await tx.tasks.runNowUnlessLocked('send_follow_ups', jobId, atMs);
  }
}

/** Records the agent's answer to a call, for the project's other calls. Returns how they are held up. */
export async function noteAnswer(
  { log }: Tools,
  tx: Transaction,
  { projectId }: Job,
  answered: AnsweredCall,
  { nowMs, jitter }: { nowMs: number; jitter: number },
): Promise<CallPause | null> {
  const pause = await tx.budgetQueue.changePause(
    projectId,
    (before) => pauseAfter(before, answered, nowMs, jitter),
    nowMs,
  );
  // An accepted call disproves a pause of the reads.
  if (answered.answer === 'taken' && (await tx.readBudget.endPause(projectId, answered.startedAtMs, nowMs))) {
    await tx.checks.runNow(projectId, nowMs);
    await tx.checks.refreshCardsOf(projectId, nowMs);
  }
  if (pause !== null && answered.answer === 'limited')
    log.warn('calls_paused', { project_id: projectId, pause_ms: pause.untilMs - nowMs });
  return pause;
}

/**
 * Wakes the next in line after an answer; without a pause, the first start, but not after a failure: the
 * starts in line would only wake each other. Returns when the answered job may go again, if it is in line.
 */
export async function callNext(
  { hourlyBudget }: Tools,
  tx: Transaction,
  { id, projectId }: Job,
  { pause, isTaken }: { pause: CallPause | null; isTaken: boolean },
  nowMs: number,
): Promise<number | null> {
  if (pause !== null) {
    const line = await lineOf(tx, projectId, hourlyBudget, nowMs);
    const firstAtMs = Math.max(pause.untilMs, nowMs);
    if (line.length > 0) {
      await callFirst(tx, line, firstAtMs);
      const place = line.findIndex(({ jobId }) => jobId === id);
      return place < 0 ? null : callAtMs(place, firstAtMs);
    }
    if (isTaken) await tx.budgetQueue.changePause(projectId, () => null, nowMs);
  }
  const jobId = isTaken ? await tx.budgetQueue.firstStart(projectId) : null;
  if (jobId !== null) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${jobId}`, nowMs);
  return null;
}

/** Whether the job's replies wait for the rate limit, and are next in line. Locks nothing. */
export async function isNextInLine(
  { hourlyBudget }: Tools,
  tx: Transaction,
  jobId: string,
  nowMs: number,
): Promise<boolean> {
  const job = await tx.jobs.get(jobId);
  if (job === null || (job.sendNotBeforeMs ?? 0) <= nowMs) return false;
  const { projectId } = job;
  const pause = await tx.budgetQueue.pause(projectId, nowMs);
  if (pause === null || nowMs < pause.untilMs) return false;
  const [first] = await lineOf(tx, projectId, hourlyBudget, nowMs);
  return first?.jobId === jobId && first.kind === 'send_message';
}

async function lineOf(
  tx: Transaction,
  projectId: string,
  perHour: number,
  nowMs: number,
): Promise<InBudgetQueue[]> {
  const calls = await tx.calls.agentCallsSince(projectId, nowMs - HOUR_MS);
  return nextInLine({ perHour, calls, waiting: await tx.budgetQueue.waiting(projectId) }, nowMs);
}
