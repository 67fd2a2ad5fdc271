import { applyEvent } from '../../engine/apply-event.ts';
import { factsOf } from '../../engine/job-facts.ts';
import { leave } from '../../engine/leave.ts';
import { persist } from '../../engine/persist.ts';
import type { LogFields } from '../../engine/runtime/logger.ts';
import { SEND_WITHIN_MS } from '../../engine/runtime/send-limit.ts';
import type { CallRequest } from '../../jobs/call.ts';
import { verdictOn } from '../../jobs/decide/verdict.ts';
import type { JobEvent } from '../../jobs/event.ts';
import type { AgentFailure } from '../../jobs/failure.ts';
import type { Job } from '../../jobs/job.ts';
import { type ClaimedTask, LeaseLostError, type LedgerCall, type Transaction } from '../../store/store.ts';
import { AgentError } from '../client/errors.ts';
import { agentSays } from './agent-says.ts';
import type { AgentTools } from './agent-tools.ts';
import { requireBoundProject } from './bound-project.ts';
import { takeFromBudget } from './budget.ts';

type AgentRequest = Extract<CallRequest, { kind: 'create_job' | 'send_message' }>;

interface AgentCall {
  readonly call: LedgerCall;
  readonly request: AgentRequest;
  readonly job: Job;
}

interface StartedCall extends AgentCall {
  readonly startedAtMs: number;
}

const SHORTEST_WAIT_MS = 100;

const INTERRUPTED: AgentFailure = {
  outcome: 'unknown',
  reason: 'unreachable',
  status: null,
  message: 'the program was stopped while it waited for the answer',
  retryAfterMs: null,
};

const TOO_LATE: AgentFailure = {
  outcome: 'definite',
  reason: 'unreachable',
  status: null,
  message: 'the program was held up before the request went out',
  retryAfterMs: null,
};

/** A call that can be made, with its prompt as the agent reads it. */
interface Prepared {
  readonly callId: string;
  readonly prompt: string;
}

/** Makes the create and message calls of one job, one after the other, each at most once. */
export async function callAgent(tools: AgentTools, task: ClaimedTask): Promise<void> {
  for (;;) {
    if (tools.stopping.aborted) return leave(tools, task);
    // Before the call is marked as started: a crash during the look-up of names must not make it unknown.
    const prepared = await prepareNext(tools, task.subject);
    if (tools.stopping.aborted) return leave(tools, task);
    const started = await startNext(tools, task, prepared);
    if (started === 'ended') return;
    if (started === 'not_prepared' || prepared === null) continue;
    const event = await perform(tools, started, prepared.prompt);
    const next = await persist(tools, () =>
      tools.store.transaction((tx) => settle(tools, tx, task, started, event)),
    );
    if (next === 'taken_over') throw new LeaseLostError(task.lease.taskId);
    if (next === 'waits') return;
  }
}

async function prepareNext(tools: AgentTools, lane: string): Promise<Prepared | null> {
  const next = await tools.store.transaction(async (tx) => {
    const call = await tx.calls.next(lane);
    return call && (await toAgentCall(tx, call));
  });
  if (next === null) return null;
  const { prompt } = next.request;
  return { callId: next.call.id, prompt: await tools.readablePrompt(next.job.teamId, prompt) };
}

/** Marks the lane's next call as started, if it is the prepared one; `ended`: the task is settled for now. */
async function startNext(
  tools: AgentTools,
  task: ClaimedTask,
  prepared: Prepared | null,
): Promise<StartedCall | 'ended' | 'not_prepared'> {
  return tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    for (;;) {
      const call = await tx.calls.next(task.subject);
      if (call === null) {
        await tx.tasks.complete(task.lease);
        return 'ended';
      }
      const agentCall = await toAgentCall(tx, call);
      if (call.state === 'started') {
        const next = await settle(tools, tx, task, agentCall, failed(tools, agentCall, INTERRUPTED));
        if (next !== 'goes_on') return 'ended';
        continue;
      }
      // It was wanted after the look.
      if (call.id !== prepared?.callId) return 'not_prepared';
      if (agentCall.request.kind === 'create_job' && agentCall.job.stage.kind !== 'creating') {
        await giveUp(tools, tx, agentCall);
        continue;
      }
      const overBudget = await takeFromBudget(tools, tx, agentCall.job, agentCall.request.kind);
      if (overBudget !== null) {
        const { failure, askAgainAtMs } = overBudget;
        const event = failed(tools, agentCall, failure);
        const next = await settle(tools, tx, task, agentCall, event, askAgainAtMs);
        if (next !== 'goes_on') return 'ended';
        continue;
      }
      const startedAtMs = tools.clock.now();
      await tx.calls.start(call.id, startedAtMs);
      return { ...agentCall, call: { ...call, startedAtMs }, startedAtMs };
    }
  });
}

/** The job goes on without this start: a second agent job would be watched by nobody. */
async function giveUp(
  { clock }: AgentTools,
  tx: Transaction,
  { call, request, job }: AgentCall,
): Promise<void> {
  const detail = 'the job does not wait for it any more';
  await tx.budgetQueue.leave(job.id, request.kind);
  await tx.calls.settle(call.id, { state: 'not_made', detail }, clock.now());
}

async function toAgentCall(tx: Transaction, call: LedgerCall): Promise<AgentCall> {
  const { request } = call;
  const job = await tx.jobs.get(call.jobId);
  if (job === null || (request.kind !== 'create_job' && request.kind !== 'send_message')) {
    throw new Error(`Call ${call.id} does not belong in the lane ${call.lane}`);
  }
  return { call, request, job };
}

async function perform(tools: AgentTools, started: StartedCall, prompt: string): Promise<JobEvent> {
  const { call, request, job, startedAtMs } = started;
  const facts = { call_id: call.id, call: request.kind, ...factsOf(job) };
  try {
    if (tools.clock.now() > startedAtMs + SEND_WITHIN_MS) throw new AgentError(TOO_LATE);
    requireBoundProject(tools, job);
    const event = await send(tools, call.id, job.projectId, request, prompt);
    const durationMs = tools.clock.now() - startedAtMs;
    const seen = statusIn(event, job);
    tools.log.info('agent_called', { ...facts, outcome: 'done', ...seen, duration_ms: durationMs });
    return event;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { failure } = error;
    const durationMs = tools.clock.now() - startedAtMs;
    tools.log.warn('agent_called', {
      ...facts,
      outcome: failure.outcome,
      reason: failure.reason,
      http_status: failure.status,
      ...agentSays(failure),
      duration_ms: durationMs,
    });
    return failed(tools, started, failure);
  }
}

/** The answer to a follow-up may show another status than the last look. */
function statusIn(event: JobEvent, { agentJob: before }: Job): LogFields {
  if (event.type !== 'message_accepted' || event.agentJob === null) return {};
  const { id, status } = event.agentJob;
  return id === before?.id ? { status, is_changed: status !== before.status } : {};
}

async function send(
  tools: AgentTools,
  callId: string,
  projectId: string,
  request: AgentRequest,
  prompt: string,
): Promise<JobEvent> {
  if (request.kind === 'create_job') {
    return { type: 'job_created', agentJob: await tools.agent.createJob(projectId, prompt) };
  }
  const { agentJobId } = request;
  const agentJob = await tools.agent.sendMessage(projectId, agentJobId, prompt);
  return { type: 'message_accepted', callId, agentJobId, agentJob };
}

function failed(tools: AgentTools, { call, request, job }: AgentCall, failure: AgentFailure): JobEvent {
  const event = { callId: call.id, failure };
  if (request.kind === 'create_job') return { type: 'create_failed', ...event };
  const othersAnsweredAtMs = tools.answered.othersAtMs(job.projectId, request.agentJobId);
  return { type: 'message_failed', ...event, othersAnsweredAtMs };
}

/** `waits`: the lane has to wait before its next call. `taken_over`: somebody else goes on with it. */
type Next = 'goes_on' | 'waits' | 'taken_over';

/**
 * Writes the outcome with what follows from it. An answer is had once, so it counts also if the lease was lost while
 * it was waited for, as long as nobody else has settled the call.
 */
async function settle(
  tools: AgentTools,
  tx: Transaction,
  task: ClaimedTask,
  { call, request }: AgentCall,
  said: JobEvent,
  askAgainAtMs = Number.POSITIVE_INFINITY,
): Promise<Next> {
  const isHeld = await tx.tasks.isHeld(task.lease);
  const next = isHeld ? 'goes_on' : 'taken_over';
  const event = await stillNews(tx, call, said);
  if (event === null) return next;
  const context = tools.newContext();
  const job = await applyEvent(tx, call.jobId, event, context);
  if (event.type !== 'create_failed' && event.type !== 'message_failed') {
    await tx.calls.settle(call.id, { state: 'done', detail: null }, context.nowMs);
    return next;
  }
  const verdict = verdictOn(request.kind, event.failure, context.policy.retryUnknown);
  const detail = `${event.failure.reason}: ${event.failure.message}`;
  if (verdict === 'retry') await tx.budgetQueue.join(call.id);
  if (verdict === 'retry' && request.kind === 'create_job') {
    const state = event.failure.outcome === 'unknown' ? 'failed' : 'retry';
    await tx.calls.settle(call.id, { state, detail }, context.nowMs);
    const retryAtMs = Math.min(job.trouble?.retryAtMs ?? 0, askAgainAtMs);
    // Whatever the job says, this must not become a loop without a pause.
    if (isHeld) await tx.tasks.retryAt(task.lease, Math.max(retryAtMs, context.nowMs + SHORTEST_WAIT_MS));
    return isHeld ? 'waits' : 'taken_over';
  }
  // The replies of a message that goes out again are put into a new call, together with later ones.
  const isMade = verdict !== 'retry' || event.failure.outcome === 'unknown';
  const state = verdict === 'unknown' ? 'unknown' : isMade ? 'failed' : 'not_made';
  await tx.calls.settle(call.id, { state, detail }, context.nowMs);
  return next;
}

/**
 * What the answer means for the job by now; null if nothing: it was written before (a commit may go through without
 * our learning of it), or somebody else has settled this attempt.
 */
async function stillNews(tx: Transaction, attempt: LedgerCall, said: JobEvent): Promise<JobEvent | null> {
  // Whoever settles a create or message call holds its job: nobody can change the call from here on.
  await tx.jobs.lock(attempt.jobId);
  const call = await tx.calls.get(attempt.id);
  if (call?.startedAtMs !== attempt.startedAtMs) return null;
  switch (call.state) {
    case 'wanted':
    case 'started':
      return said;
    case 'unknown':
      if (said.type === 'job_created') return { ...said, type: 'job_found', callId: call.id };
      return said.type === 'message_accepted' ? said : null;
    default:
      return null;
  }
}
