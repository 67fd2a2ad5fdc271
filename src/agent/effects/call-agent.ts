import { isDeepStrictEqual } from 'node:util';
import { applyEvent, factsOf } from '../../engine/apply-event.ts';
import { type DueCall, type Effect, runLane, type Wait } from '../../engine/run-lane.ts';
import { TooLateToSendError } from '../../engine/runtime/exchange.ts';
import type { LogFields } from '../../engine/runtime/redact.ts';
import type { AgentFailure } from '../../jobs/agent-job.ts';
import type { CallRequest } from '../../jobs/call.ts';
import { verdictOn } from '../../jobs/decide/watch/verdict.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { JobEvent } from '../../jobs/event.ts';
import type { Job } from '../../jobs/job.ts';
import type { AnsweredCall, CallPause } from '../../jobs/schedule/hourly-budget.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../../store/store.ts';
import { AgentError } from '../client/attempt.ts';
import { type AgentTools, agentSays, requireBoundProject } from './agent-tools.ts';
import { callNext, isNextInLine, noteAnswer, takeFromBudget } from './budget.ts';

type AgentRequest = Extract<CallRequest, { kind: 'create_job' | 'send_message' }>;

type AgentResult = Readonly<{
  /** Null: the call is dropped, since nothing would watch a second agent job. */
  event: JobEvent | null;
  /** The call has changed since it was prepared, so it is prepared again. */
  isRewritten?: true;
  askAgainAtMs?: number;
}>;

const SHORTEST_WAIT_MS = 100;

const notAnswered = { reason: 'unreachable', status: null, retryAfterMs: null } as const;

const INTERRUPTED: AgentFailure = {
  ...notAnswered,
  outcome: 'unknown',
  message: 'the program was stopped while it waited for the answer',
};

const TOO_LATE: AgentFailure = {
  ...notAnswered,
  outcome: 'definite',
  message: 'the program was held up before the request went out',
};

export function callAgent(tools: AgentTools, task: ClaimedTask): Promise<void> {
  return runLane(tools, agentCalls(tools), task);
}

/** The agent API cannot be asked about a call, so an interrupted one is unknown. */
function agentCalls(tools: AgentTools): Effect<string, AgentResult> {
  return {
    prepare: ({ call, job }) => tools.readablePrompt(job.teamId, requestOf(call).prompt),
    admit: async (tx, due) => {
      const { kind } = requestOf(due.call);
      if (kind === 'create_job') {
        // Rewriting a call requires its job's lock.
        await tx.jobs.hold(due.job.id);
        const job = await tx.jobs.get(due.job.id);
        if (job?.stage.kind !== 'creating') return { event: null };
        const call = await tx.calls.get(due.call.id);
        if (!isDeepStrictEqual(call?.request, due.call.request)) return { event: null, isRewritten: true };
      }
      const overBudget = await takeFromBudget(tools, tx, due.job, kind);
      if (overBudget === null) return null;
      return { event: failed(tools, due, overBudget.failure), askAgainAtMs: overBudget.askAgainAtMs };
    },
    perform: async (started, prompt) => {
      requireBoundProject(tools, started.job);
      const event = await send(tools, started, prompt);
      log('info', started, { outcome: 'done', ...statusIn(event, started.job) });
      return { event };
    },
    classify: (started, error) => {
      const isTooLate = error instanceof TooLateToSendError;
      if (!isTooLate && !(error instanceof AgentError)) throw error;
      const failure = isTooLate ? TOO_LATE : error.failure;
      const { outcome, reason, status } = failure;
      log('warn', started, { outcome, reason, http_status: status, ...agentSays(failure) });
      return { event: failed(tools, started, failure) };
    },
    recover: async (started) => ({ event: failed(tools, started, INTERRUPTED) }),
    stillCounts,
    settle: (tx, due, result, context) => settle(tools, tx, due, result, context),
  };

  function log(level: 'info' | 'warn', { call, job }: DueCall, answer: LogFields): void {
    const facts = { call_id: call.id, call: call.request.kind, ...factsOf(job) };
    const durationMs = tools.clock.now() - (call.startedAtMs ?? 0);
    tools.log[level]('agent_called', { ...facts, ...answer, duration_ms: durationMs });
  }
}

function requestOf({ id, lane, request }: LedgerCall): AgentRequest {
  if (request.kind === 'create_job' || request.kind === 'send_message') return request;
  throw new Error(`Call ${id} does not belong in the lane ${lane}`);
}

/** The answer to a follow-up may show another status than the last check. */
function statusIn(event: JobEvent, { agentJob: before }: Job): LogFields {
  if (event.type !== 'message_accepted' || event.agentJob === null) return {};
  const { id, status } = event.agentJob;
  return id === before?.id ? { status, is_changed: status !== before.status } : {};
}

async function send(
  { agent }: AgentTools,
  { call, job: { projectId } }: DueCall,
  prompt: string,
): Promise<JobEvent> {
  const request = requestOf(call);
  if (request.kind === 'create_job') {
    return { type: 'job_created', callId: call.id, agentJob: await agent.createJob(projectId, prompt) };
  }
  const { agentJobId } = request;
  const agentJob = await agent.sendMessage(projectId, agentJobId, prompt);
  return { type: 'message_accepted', callId: call.id, agentJobId, agentJob };
}

function failed(tools: AgentTools, { call, job }: DueCall, failure: AgentFailure): JobEvent {
  const request = requestOf(call);
  const event = { callId: call.id, failure };
  if (request.kind === 'create_job') return { type: 'create_failed', ...event };
  const othersAnsweredAtMs = tools.answered.othersAtMs(job.projectId, request.agentJobId);
  return { type: 'message_failed', ...event, othersAnsweredAtMs };
}

/** Also without the lease; and a late answer settles a call that counts as unknown. */
function stillCounts(result: AgentResult, { state }: LedgerCall): AgentResult | null {
  if (state === 'pending' || state === 'started') return result;
  const { event } = result;
  if (state !== 'unknown' || event === null) return null;
  if (event.type === 'job_created') return { event: { ...event, type: 'job_found' } };
  return event.type === 'message_accepted' ? result : null;
}

async function settle(
  tools: AgentTools,
  tx: Transaction,
  due: DueCall,
  { event, isRewritten, askAgainAtMs }: AgentResult,
  context: AnyJobContext,
): Promise<Wait | null> {
  const { call, job } = due;
  const { nowMs } = context;
  if (isRewritten) return { delayUntilMs: nowMs };
  if (event === null) {
    const detail = 'the job does not wait for it any more';
    await tx.budgetQueue.leave(call.id);
    await tx.calls.settle(call.id, { state: 'not_made', detail }, nowMs);
    return null;
  }
  if (askAgainAtMs !== undefined) {
    const { job: waiting } = await applyEvent(tx, job.id, event, context);
    return waitAfter(event, waiting, askAgainAtMs, nowMs);
  }
  const answered = answerIn(event, due);
  const pause = await noteAnswer(tools, tx, job, answered, context);
  const { job: after } = await applyEvent(tx, job.id, heldUpBy(pause, event, nowMs), context);
  const isTaken = answered.answer === 'taken';
  const callAtMs = await callNext(tools, tx, job, { pause, isTaken }, nowMs);
  return waitAfter(event, after, callAtMs ?? after.trouble?.retryAtMs ?? 0, nowMs);
}

/** A failed create call stays in its lane. */
function waitAfter({ type }: JobEvent, { stage }: Job, retryAtMs: number, nowMs: number): Wait | null {
  if (type !== 'create_failed' || stage.kind !== 'creating') return null;
  // Whatever the job says, this must not become a busy loop.
  return { retryAtMs: Math.max(retryAtMs, nowMs + SHORTEST_WAIT_MS) };
}

function answerIn(event: JobEvent, { call }: DueCall): AnsweredCall {
  const startedAtMs = call.startedAtMs ?? 0;
  if (!('failure' in event)) return { startedAtMs, answer: 'taken', retryAfterMs: null };
  const { reason, retryAfterMs } = event.failure;
  if (reason === 'rate_limited') return { startedAtMs, answer: 'limited', retryAfterMs };
  return { startedAtMs, answer: verdictOn(event.failure) === 'retry' ? 'again' : 'over', retryAfterMs };
}

/** The job waits for the end of the pause, which another call of the project may have begun. */
function heldUpBy(pause: CallPause | null, event: JobEvent, nowMs: number): JobEvent {
  if (pause === null || !('failure' in event) || event.failure.reason !== 'rate_limited') return event;
  return { ...event, failure: { ...event.failure, retryAfterMs: Math.max(0, pause.untilMs - nowMs) } };
}

/**
 * How often, and how long each time, replies wait until their thread was read for older ones: a minute where
 * Slack limits reads most.
 */
const MAX_WAITS_FOR_OLDER = 9;
const WAIT_FOR_OLDER_MS = 10_000;
/** Likewise for a check, if the job could not be read recently. */
const MAX_WAITS_FOR_CHECK = 3;
const WAIT_FOR_CHECK_MS = 1_000;

/**
 * The batching window is over: the waiting replies become one message call. First, for a while, the thread is
 * read for missed replies, which may be older, and a job is checked that could not be read recently: a new
 * turn hides the previous one's pull request.
 */
export function sendFollowUps(tools: AgentTools, task: ClaimedTask): Promise<void> {
  return tools.store.transaction(async (tx) => {
    const context = tools.newContext();
    const { nowMs } = context;
    const waitMs = await mustWaitMs(tx, task, nowMs);
    if (waitMs > 0) return tx.tasks.retryAt(task.lease, nowMs + waitMs);
    const isCalled = await isNextInLine(tools, tx, task.subject, nowMs);
    await applyEvent(tx, task.subject, { type: 'send_due', isCalled }, context);
    await tx.tasks.complete(task.lease);
  });
}

async function mustWaitMs(
  tx: Transaction,
  { subject, attempts }: ClaimedTask,
  nowMs: number,
): Promise<number> {
  if (attempts < MAX_WAITS_FOR_OLDER && (await tx.catchUps.readFirst(subject))) return WAIT_FOR_OLDER_MS;
  const job = await tx.jobs.get(subject);
  if (attempts >= MAX_WAITS_FOR_CHECK || job?.trouble?.source !== 'check') return 0;
  return (await tx.tasks.runNow('check_job', subject, nowMs)) ? WAIT_FOR_CHECK_MS : 0;
}
