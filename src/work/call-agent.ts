import { AgentError } from '../agent/errors.ts';
import type { CallRequest } from '../jobs/call.ts';
import { verdictOn } from '../jobs/decide/verdict.ts';
import type { JobEvent } from '../jobs/event.ts';
import type { AgentFailure } from '../jobs/failure.ts';
import type { Job } from '../jobs/job.ts';
import { readableText } from '../slack/text/readable-text.ts';
import { applyEvent } from '../store/apply-event.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../store/store.ts';
import type { Tools } from './tools.ts';

type AgentRequest = Extract<CallRequest, { kind: 'create_job' | 'send_message' }>;

interface AgentCall {
  readonly call: LedgerCall;
  readonly request: AgentRequest;
  readonly job: Job;
}

const HOUR_MS = 3_600_000;

const INTERRUPTED: AgentFailure = {
  outcome: 'unknown',
  reason: 'unreachable',
  status: null,
  message: 'the program was stopped while it waited for the answer',
  retryAfterMs: null,
};

/** A call that can be made, with its prompt as the agent reads it. */
interface Prepared {
  readonly callId: string;
  readonly prompt: string;
}

/** Makes the create and message calls of one job, one after the other, each at most once. */
export async function callAgent(tools: Tools, task: ClaimedTask): Promise<void> {
  for (;;) {
    // Before the call is marked as started: a crash during the look-up of names must not make it unknown.
    const prepared = await prepareNext(tools, task.subject);
    const started = await startNext(tools, task, prepared);
    if (started === 'ended') return;
    if (started === 'not_prepared' || prepared === null) continue;
    const event = await perform(tools, started, prepared.prompt);
    const goesOn = await tools.store.transaction((tx) => settle(tools, tx, task, started, event));
    if (!goesOn) return;
  }
}

async function prepareNext(tools: Tools, lane: string): Promise<Prepared | null> {
  const call = await tools.store.transaction((tx) => tx.calls.next(lane));
  if (call === null || !('prompt' in call.request)) return null;
  const { prompt } = call.request;
  return { callId: call.id, prompt: readableText(prompt, await tools.names.of(prompt)) };
}

/** Marks the lane's next call as started, if it is the prepared one; `ended`: the task is settled for now. */
async function startNext(
  tools: Tools,
  task: ClaimedTask,
  prepared: Prepared | null,
): Promise<AgentCall | 'ended' | 'not_prepared'> {
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
        const goesOn = await settle(tools, tx, task, agentCall, failed(agentCall, INTERRUPTED));
        if (!goesOn) return 'ended';
        continue;
      }
      // It was wanted after the look.
      if (call.id !== prepared?.callId) return 'not_prepared';
      const overBudget = await budgetFailure(tools, tx, agentCall.job.projectId);
      if (overBudget !== null) {
        const goesOn = await settle(tools, tx, task, agentCall, failed(agentCall, overBudget));
        if (!goesOn) return 'ended';
        continue;
      }
      await tx.calls.start(call.id, tools.clock.now());
      return agentCall;
    }
  });
}

async function toAgentCall(tx: Transaction, call: LedgerCall): Promise<AgentCall> {
  const { request } = call;
  const job = await tx.jobs.get(call.jobId);
  if (job === null || (request.kind !== 'create_job' && request.kind !== 'send_message')) {
    throw new Error(`Call ${call.id} does not belong in the lane ${call.lane}`);
  }
  return { call, request, job };
}

/** The hourly budget, counted from the ledger, so that it survives restarts and is shared by replicas. */
async function budgetFailure(tools: Tools, tx: Transaction, projectId: string): Promise<AgentFailure | null> {
  const nowMs = tools.clock.now();
  const startedAtMs = await tx.calls.startedAgentCalls(projectId, nowMs - HOUR_MS);
  const freesAtMs = startedAtMs.at(-tools.hourlyBudget);
  if (freesAtMs === undefined) return null;
  return {
    outcome: 'definite',
    reason: 'rate_limited',
    status: null,
    message: `the budget of ${tools.hourlyBudget} calls per hour is used up`,
    retryAfterMs: freesAtMs + HOUR_MS - nowMs,
  };
}

async function perform(tools: Tools, { call, request, job }: AgentCall, prompt: string): Promise<JobEvent> {
  const startedAtMs = tools.clock.now();
  const facts = { call_id: call.id, call: request.kind, job_id: job.id };
  try {
    const event = await send(tools, call.id, job.projectId, request, prompt);
    const durationMs = tools.clock.now() - startedAtMs;
    tools.log.info('agent_called', { ...facts, outcome: 'done', duration_ms: durationMs });
    return event;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { failure } = error;
    const durationMs = tools.clock.now() - startedAtMs;
    tools.log.warn('agent_called', {
      ...facts,
      outcome: failure.outcome,
      reason: failure.reason,
      status: failure.status,
      duration_ms: durationMs,
    });
    return failed({ call, request, job }, failure);
  }
}

async function send(
  tools: Tools,
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

function failed({ call, request }: AgentCall, failure: AgentFailure): JobEvent {
  const type = request.kind === 'create_job' ? 'create_failed' : 'message_failed';
  return { type, callId: call.id, failure };
}

/** Writes the outcome with what follows from it. False if the lane has to wait before its next call. */
async function settle(
  tools: Tools,
  tx: Transaction,
  task: ClaimedTask,
  { call, request }: AgentCall,
  event: JobEvent,
): Promise<boolean> {
  await tx.tasks.fence(task.lease);
  const context = tools.newContext();
  const job = await applyEvent(tx, call.jobId, event, context);
  if (event.type !== 'create_failed' && event.type !== 'message_failed') {
    await tx.calls.settle(call.id, { state: 'done', detail: null }, context.nowMs);
    return true;
  }
  const verdict = verdictOn(request.kind, event.failure, context.policy.retryUnknown);
  const detail = `${event.failure.reason}: ${event.failure.message}`;
  if (verdict === 'retry' && request.kind === 'create_job') {
    await tx.calls.settle(call.id, { state: 'retry', detail }, context.nowMs);
    await tx.tasks.postpone(task.lease, job.trouble?.retryAtMs ?? context.nowMs);
    return false;
  }
  // The replies of a message that goes out again are put into a new call, together with later ones.
  const state = verdict === 'unknown' ? 'unknown' : verdict === 'retry' ? 'not_made' : 'failed';
  await tx.calls.settle(call.id, { state, detail }, context.nowMs);
  return true;
}
