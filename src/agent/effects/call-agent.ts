import { isDeepStrictEqual } from 'node:util';
import { applyEvent } from '../../engine/apply-event.ts';
import { type DueCall, type Effect, runLane, type Wait } from '../../engine/run-lane.ts';
import type { LogFields } from '../../engine/runtime/logger.ts';
import { TooLateToSendError } from '../../engine/runtime/send-limit.ts';
import { factsOf } from '../../engine/tools.ts';
import type { AgentFailure } from '../../jobs/agent-job.ts';
import type { CallRequest } from '../../jobs/call.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { JobEvent } from '../../jobs/event.ts';
import type { Job } from '../../jobs/job.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../../store/store.ts';
import { AgentError } from '../client/errors.ts';
import { type AgentTools, agentSays, requireBoundProject } from './agent-tools.ts';
import { takeFromBudget, wakeNextStart } from './budget.ts';

type AgentRequest = Extract<CallRequest, { kind: 'create_job' | 'send_message' }>;

/** What became of a create or message call. */
interface AgentResult {
  /** Null: the call is dropped, since nothing would watch a second agent job. */
  readonly event: JobEvent | null;
  /** The call says something else now than what was prepared: it is prepared again. */
  readonly isRewritten?: true;
  /** For a call over the budget: when it is worth while to ask again. */
  readonly askAgainAtMs?: number;
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

/** Makes the create and message calls of one job. */
export function callAgent(tools: AgentTools, task: ClaimedTask): Promise<void> {
  return runLane(tools, agentCalls(tools), task);
}

/** The agent API cannot be asked what became of a call, so a call that was interrupted is unknown. */
function agentCalls(tools: AgentTools): Effect<string, AgentResult> {
  return {
    prepare: ({ call, job }) => tools.readablePrompt(job.teamId, requestOf(call).prompt),
    admit: async (tx, due) => {
      const { kind } = requestOf(due.call);
      if (kind === 'create_job') {
        // Whoever rewrites the call holds its job.
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
      const seen = statusIn(event, started.job);
      tools.log.info('agent_called', {
        ...factsOfCall(started),
        outcome: 'done',
        ...seen,
        ...duration(started),
      });
      return { event };
    },
    classify: (started, error) => {
      const isTooLate = error instanceof TooLateToSendError;
      if (!isTooLate && !(error instanceof AgentError)) throw error;
      const failure = isTooLate ? TOO_LATE : error.failure;
      const { outcome, reason, status } = failure;
      const answer = { outcome, reason, http_status: status, ...agentSays(failure) };
      tools.log.warn('agent_called', { ...factsOfCall(started), ...answer, ...duration(started) });
      return { event: failed(tools, started, failure) };
    },
    recover: async (started) => ({ event: failed(tools, started, INTERRUPTED) }),
    stillCounts,
    settle,
  };

  function duration({ call }: DueCall): LogFields {
    return { duration_ms: tools.clock.now() - (call.startedAtMs ?? 0) };
  }
}

function requestOf({ id, lane, request }: LedgerCall): AgentRequest {
  if (request.kind === 'create_job' || request.kind === 'send_message') return request;
  throw new Error(`Call ${id} does not belong in the lane ${lane}`);
}

function factsOfCall({ call, job }: DueCall): LogFields {
  return { call_id: call.id, call: call.request.kind, ...factsOf(job) };
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

/** An answer counts without the lease, too, and a late one says what became of a call that counts as unknown. */
function stillCounts(result: AgentResult, { state }: LedgerCall): AgentResult | null {
  if (state === 'pending' || state === 'started') return result;
  const { event } = result;
  if (state !== 'unknown' || event === null) return null;
  if (event.type === 'job_created') return { event: { ...event, type: 'job_found' } };
  return event.type === 'message_accepted' ? result : null;
}

async function settle(
  tx: Transaction,
  { call, job }: DueCall,
  result: AgentResult,
  context: AnyJobContext,
): Promise<Wait | null> {
  const { kind } = requestOf(call);
  const { event, isRewritten, askAgainAtMs = Number.POSITIVE_INFINITY } = result;
  if (isRewritten) return { delayUntilMs: context.nowMs };
  if (event === null) {
    const detail = 'the job does not wait for it any more';
    await tx.budgetQueue.leave(job.id, kind);
    await tx.calls.settle(call.id, { state: 'not_made', detail }, context.nowMs);
    return null;
  }
  const after = await applyEvent(tx, job.id, event, context);
  if (isTaken(event)) await wakeNextStart(tx, job, context.nowMs);
  if (event.type !== 'create_failed' || after.stage.kind !== 'creating') return null;
  const retryAtMs = Math.min(after.trouble?.retryAtMs ?? 0, askAgainAtMs);
  // Whatever the job says, this must not become a loop without a pause.
  return { retryAtMs: Math.max(retryAtMs, context.nowMs + SHORTEST_WAIT_MS) };
}

function isTaken({ type }: JobEvent): boolean {
  return type === 'job_created' || type === 'message_accepted';
}
