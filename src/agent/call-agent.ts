import { type AnyJobContext, applyEvent, factsOf } from '#engine/apply-event.ts';
import { fairLimit } from '#engine/claim-fairly.ts';
import { type DueCall, runLane, type Wait } from '#engine/run-lane.ts';
import type { AgentFailure } from '#jobs/agent-job.ts';
import type { CallRequest } from '#jobs/call.ts';
import { isMissing, verdictOn } from '#jobs/decide/failures.ts';
import type { JobEvent } from '#jobs/event.ts';
import { isStopping, type Job } from '#jobs/job.ts';
import type { AnsweredCall, CallPause } from '#jobs/schedule/hourly-budget.ts';
import { TooLateToSendError } from '#runtime/exchange.ts';
import type { LogFields } from '#runtime/redact.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '#store/store.ts';
import {
  type AgentTools,
  factsOfFailure,
  isBoundProject,
  type ReadPicture,
  requireBoundProject,
} from './agent-tools.ts';
import { callNext, isNextInLine, noteAnswer, takeFromBudget } from './budget.ts';
import { AgentError } from './client.ts';

type AgentRequest = Extract<CallRequest, { kind: 'create_job' | 'send_message' | 'cancel_job' }>;

type AgentResult = Readonly<{
  /** Null: the call is dropped. */
  event: JobEvent | null;
  askAgainAtMs?: number;
}>;

const SHORTEST_WAIT_MS = 100;
/** Services know a key for 24 hours; clocks may differ. */
const REPEATED_FOR_MS = 23 * 3_600_000;

const unreached = (outcome: AgentFailure['outcome'], message: string): AgentFailure => {
  return { outcome, reason: 'unreachable', status: null, message, retryAfterMs: null };
};
const INTERRUPTED = unreached('unknown', 'the program was stopped while it waited for the answer');
const TOO_LATE = unreached('definite', 'the program was held up before the request went out');

/**
 * The agent API cannot look up a call. An interrupted one is repeated if the service recognises repeats
 * (always for a cancel); otherwise it becomes unknown.
 */
export function callAgent(tools: AgentTools, task: ClaimedTask): Promise<void> {
  return runLane<{ prompt: string; unreachable: AgentError | null }, AgentResult>(
    tools,
    {
      // Rewriting a call requires its job's lock, which comes before the budget's.
      lock: (tx) => tx.jobs.lockOnly(task.subject.slice('agent:'.length)),
      prepare: async ({ call, job }) => {
        const request = requestOf(call);
        if (request.kind === 'cancel_job') return { prompt: '', unreachable: null };
        const isAsked = isBoundProject(tools, job);
        const [prompt, unreachable] = await Promise.all([
          tools.readablePrompt(job.teamId, request.prompt),
          isAsked ? tools.agent.askCapabilities(job.projectId) : null,
        ]);
        return { prompt, unreachable };
      },
      admit: async (tx, due) => {
        const { kind } = requestOf(due.call);
        // The turn has ended by itself.
        if (kind === 'cancel_job') return isStopping(due.job) ? null : { event: null };
        if (kind === 'create_job' && due.job.stage.kind !== 'creating') return { event: null };
        const overBudget = await takeFromBudget(tools, tx, due.job, kind);
        if (overBudget === null) return null;
        return { event: failed(due, overBudget.failure), askAgainAtMs: overBudget.askAgainAtMs };
      },
      repeatableRequest: (due, { prompt }) => (recognisesRepeats(due) ? prompt : null),
      perform: (started, { prompt, unreachable }) => {
        // Nothing is sent before it is known whether it may be repeated.
        if (unreachable !== null) throw unreachable;
        return perform(started, prompt);
      },
      classify: (started, error) => classified(started, error, false),
      recover: async (started) => {
        const { call, job } = started;
        if (isCancel(call) && !isStopping(job)) return { event: null };
        const isLate = tools.clock.now() >= (call.startedAtMs ?? 0) + REPEATED_FOR_MS;
        if (call.sent === null || isLate || recognisesRepeats(started) === false) {
          return { event: failed(started, INTERRUPTED) };
        }
        return perform(started, call.sent).catch((error: unknown) => classified(started, error, true));
      },
      applicableResult,
      record,
    },
    task,
  );

  async function perform(started: DueCall, prompt: string): Promise<AgentResult> {
    requireBoundProject(tools, started.job);
    const event = await withPictures(tools, started, (read) => send(started, prompt, read));
    log('info', started, { outcome: 'done' });
    return { event };
  }

  async function send(
    { call, job: { projectId } }: DueCall,
    prompt: string,
    read: readonly ReadPicture[],
  ): Promise<JobEvent> {
    const { agent } = tools;
    const pictures = read.filter((one) => 'data' in one);
    const notSent = read.filter((one) => 'problem' in one || 'kind' in one);
    const request = requestOf(call);
    const callId = call.id;
    const more = {
      key: call.sent === null ? null : callId,
      images: pictures.length > 0 ? pictures : undefined,
    };
    if (request.kind === 'create_job') {
      const agentJob = await agent.createJob(projectId, prompt, more);
      return { type: 'job_created', callId, agentJob, notSent };
    }
    const { agentJobId } = request;
    if (request.kind === 'cancel_job') {
      return { type: 'job_stopped', callId, agentJob: await agent.cancelJob(projectId, agentJobId) };
    }
    const agentJob = await agent.sendMessage(projectId, agentJobId, prompt, more);
    return { type: 'message_accepted', callId, agentJobId, agentJob, notSent };
  }

  async function record(
    tx: Transaction,
    { call, job }: DueCall,
    { event, askAgainAtMs }: AgentResult,
    context: AnyJobContext,
  ): Promise<Wait | null> {
    const { nowMs } = context;
    if (event === null) {
      const detail = 'the job does not wait for it any more';
      await tx.budgetQueue.leave(call.id);
      await tx.calls.recordOutcome(call.id, { state: 'not_made', detail }, nowMs);
      return null;
    }
    if (askAgainAtMs !== undefined || isCancel(call)) {
      const { job: after } = await applyEvent(tx, job.id, event, context);
      return waitAfter(event, after, askAgainAtMs ?? null, nowMs);
    }
    const answered = answerIn(event, call);
    const pause = await noteAnswer(tools, tx, job.projectId, answered, context);
    const { job: after } = await applyEvent(tx, job.id, heldUpBy(pause, event, nowMs), context);
    const isTaken = answered.answer === 'taken';
    return waitAfter(event, after, await callNext(tools, tx, job, { pause, isTaken }, nowMs), nowMs);
  }

  /** @param isRepeat an earlier attempt may have been accepted: only a refusal tells about both */
  function classified(started: DueCall, error: unknown, isRepeat: boolean): AgentResult {
    const isTooLate = error instanceof TooLateToSendError;
    if (!isTooLate && !(error instanceof AgentError)) throw error;
    const failure = isTooLate ? TOO_LATE : error.failure;
    const { call } = started;
    const verdict = verdictOn(failure);
    const isOpen = verdict === 'unknown' || (verdict === 'retry' && (isRepeat || isCancel(call)));
    // Neither this attempt nor an earlier one can have an effect.
    const isGone = isCancel(call)
      ? isMissing(failure)
      : failure.reason === 'not_found' && call.request.kind === 'send_message';
    const isRepeated = call.sent !== null && isOpen && !isGone;
    // After a repeat with fewer pictures, the first attempt may have been accepted.
    const isUnclear = isRepeat && failure.status === 422 && 'pictures' in call.request;
    const outcome = isRepeated ? 'repeated' : isUnclear ? 'unknown' : failure.outcome;
    log('warn', started, { ...factsOfFailure(failure), outcome });
    return {
      event: isRepeated
        ? { type: 'call_repeated', callId: call.id, failure }
        : failed(started, isUnclear ? INTERRUPTED : failure),
    };
  }

  /** Null: the service has not answered since the start. */
  function recognisesRepeats({ call, job }: DueCall) {
    if (isCancel(call)) return true;
    return tools.known.agent(job.projectId).can?.includes('idempotency') ?? null;
  }

  function log(level: 'info' | 'warn', { call, job }: DueCall, answer: LogFields) {
    const facts = { call_id: call.id, call: call.request.kind, ...factsOf(job) };
    const durationMs = tools.clock.now() - (call.startedAtMs ?? 0);
    tools.log[level]('agent_called', { ...facts, ...answer, duration_ms: durationMs });
  }

  function failed({ call, job }: DueCall, failure: AgentFailure): JobEvent {
    const request = requestOf(call);
    const event = { callId: call.id, failure };
    if (request.kind === 'create_job') return { type: 'create_failed', ...event };
    if (request.kind === 'cancel_job') return { type: 'stop_failed', ...event };
    const othersAnsweredAtMs = tools.answered.othersAtMs(job.projectId, request.agentJobId);
    return { type: 'message_failed', ...event, othersAnsweredAtMs };
  }
}

function isCancel({ request }: LedgerCall) {
  return request.kind === 'cancel_job';
}

function requestOf({ id, lane, request }: LedgerCall): AgentRequest {
  if (request.kind === 'create_job' || request.kind === 'send_message' || request.kind === 'cancel_job')
    return request;
  throw new Error(`Call ${id} does not belong in the lane ${lane}`);
}

/** At once: each takes up to 100 MB of memory. */
const CALLS_WITH_PICTURES = 2;
const inTurn = fairLimit(CALLS_WITH_PICTURES);
/** Shorter than a lease: nobody else has found the call unknown. */
const READ_WITHIN_MS = 20_000;

/** The service may take none after all. */
async function withPictures(
  { known, readPictures, clock }: AgentTools,
  { call, job: { teamId, projectId } }: DueCall,
  send: (read: readonly ReadPicture[]) => Promise<JobEvent>,
): Promise<JobEvent> {
  const { pictures } = { pictures: [], ...call.request };
  if (pictures.length === 0) return send([]);
  const can = () => known.agent(projectId).can;
  const mayRepeat = call.sent !== null;
  // What may be repeated went to a service that had told.
  if (!(can()?.includes('images') ?? mayRepeat))
    return send(pictures.map(({ name }) => ({ kind: 'image', name })));
  return inTurn(teamId, async () => {
    const read = await readPictures(teamId, pictures);
    const isLate = clock.now() > (call.startedAtMs ?? 0) + READ_WITHIN_MS;
    if (isLate && !mayRepeat) throw new TooLateToSendError();
    return send(read).catch((error: unknown) => {
      const isRefused = error instanceof AgentError && error.failure.status === 422;
      if (!isRefused || read.every((one) => !('data' in one))) throw error;
      return send(pictures.map(({ name }) => ({ name, problem: 'not_taken' })));
    });
  });
}

/** A late answer ends a call that counts as unknown. */
function applicableResult(result: AgentResult, { state }: LedgerCall): AgentResult | null {
  if (state === 'pending' || state === 'started') return result;
  const { event } = result;
  if (state !== 'unknown' || event === null) return null;
  if (event.type === 'job_created') return { event: { ...event, type: 'job_found' } };
  return event.type === 'message_accepted' ? result : null;
}

function waitAfter(
  { type }: JobEvent,
  { stage, trouble }: Job,
  turnAtMs: number | null,
  nowMs: number,
): Wait | null {
  const isKept = type === 'create_failed' && stage.kind === 'creating';
  if (!isKept && type !== 'call_repeated') return null;
  // Prevents a busy loop, whatever the job says.
  return { retryAtMs: Math.max(turnAtMs ?? trouble?.retryAtMs ?? 0, nowMs + SHORTEST_WAIT_MS) };
}

function answerIn(event: JobEvent, call: LedgerCall): AnsweredCall {
  const startedAtMs = call.startedAtMs ?? 0;
  if (!('failure' in event)) return { startedAtMs, answer: 'taken', retryAfterMs: null };
  const { reason, retryAfterMs } = event.failure;
  if (reason === 'rate_limited') return { startedAtMs, answer: 'limited', retryAfterMs };
  const isAgain = event.type === 'call_repeated' || verdictOn(event.failure) === 'retry';
  return { startedAtMs, answer: isAgain ? 'again' : 'over', retryAfterMs };
}

/** Another call of the project may have begun the pause. */
function heldUpBy(pause: CallPause | null, event: JobEvent, nowMs: number) {
  if (pause === null || !('failure' in event) || event.failure.reason !== 'rate_limited') return event;
  return { ...event, failure: { ...event.failure, retryAfterMs: Math.max(0, pause.untilMs - nowMs) } };
}

/** 90 s in all: at its strictest, Slack allows one read a minute. */
const MAX_WAITS_FOR_OLDER = 9;
const WAIT_FOR_OLDER_MS = 10_000;
const MAX_WAITS_FOR_CHECK = 3;
const WAIT_FOR_CHECK_MS = 1_000;

/**
 * First the thread is read for older, missed replies, and a job that could not be read is checked: a new turn
 * hides the previous turn's pull request.
 */
export function sendFollowUps(tools: AgentTools, { subject, lease, attempts }: ClaimedTask): Promise<void> {
  return tools.store.transaction(async (tx) => {
    const context = tools.newContext();
    const { nowMs } = context;
    const waitMs = await mustWaitMs(tx, subject, attempts, nowMs);
    if (waitMs > 0) return tx.tasks.retryAt(lease, nowMs + waitMs);
    const isCalled = await isNextInLine(tools, tx, subject);
    await applyEvent(tx, subject, { type: 'send_due', isCalled }, context);
    await tx.tasks.complete(lease);
  });
}

async function mustWaitMs(tx: Transaction, jobId: string, attempts: number, nowMs: number): Promise<number> {
  if (attempts < MAX_WAITS_FOR_OLDER && (await tx.catchUps.readFirst(jobId))) return WAIT_FOR_OLDER_MS;
  const job = await tx.jobs.get(jobId);
  const isUnread = job?.stage.kind === 'working' && job.trouble?.source === 'check';
  if (attempts >= MAX_WAITS_FOR_CHECK || !isUnread) return 0;
  await tx.tasks.runNowUnlessLocked('check_job', jobId, nowMs);
  return WAIT_FOR_CHECK_MS;
}
