import { factsOf } from '../../../engine/apply-event.ts';
import { type DueCall, type Effect, runLane, type Wait } from '../../../engine/run-lane.ts';
import { TooLateToSendError } from '../../../engine/runtime/exchange.ts';
import type { CallOutcome, CallRequest } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { isStepRefusal } from '../../protocol/error-codes.ts';
import { stepErrorText } from '../../views/step-error.ts';
import type { Completion } from '../../workspace/poster.ts';
import { completeStep } from '../../workspace/steps.ts';
import { SlackCallError, type SlackFailure, tooLate } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { HELD_FOR_MS, type SlackTools, slackRetryMs } from '../refresh/refresh.ts';
import { threadLink } from '../render.ts';

interface Prepared {
  readonly completion: Completion;
  /** Came with the step, while valid. */
  readonly token: string | null;
}

interface Result {
  readonly outcome: CallOutcome;
  readonly hold?: 'begins';
  readonly wait: Wait | null;
}

export function completeSteps(tools: SlackTools): (task: ClaimedTask) => Promise<void> {
  return (task) => runLane(tools, completions(tools, task), task);
}

/** The token that came with a job's step has expired. */
export async function forgetStepToken({ store }: SlackTools, { subject, lease }: ClaimedTask): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.stepTokens.forget(subject);
    await tx.tasks.complete(lease);
  });
}

function completions(tools: SlackTools, task: ClaimedTask): Effect<Prepared, Result> {
  const { clock, log, store, workspaces } = tools;
  const factsOfStep = ({ call, job }: DueCall) => ({
    call_id: call.id,
    ...factsOf(job),
    lag_ms: clock.now() - call.createdAtMs,
  });
  return {
    prepare: async ({ call, job }) => {
      const token = await store.transaction((tx) => tx.stepTokens.get(job.id, clock.now()));
      return { token, completion: await completionOf(call.request, job, await workspaces.of(job.teamId)) };
    },
    admit: async () => null,
    perform: async (started, { token, completion }) => {
      const { poster } = await workspaces.of(started.job.teamId);
      const by = await completeStep(poster, completion, token);
      log.info('step_completed', { ...factsOfStep(started), outcome: 'done', by });
      return { outcome: { state: 'done', detail: null }, wait: null };
    },
    classify: (started, thrown) => {
      const error = thrown instanceof TooLateToSendError ? tooLate('functions.completeSuccess') : thrown;
      if (!(error instanceof SlackCallError)) throw error;
      const { failure } = error;
      const { code: reason } = failure;
      const result = resultOf(started, failure);
      const isFailed = result.outcome.state === 'failed';
      const outcome = isFailed ? 'refused' : failure.outcome;
      log[isFailed ? 'error' : 'warn']('step_completed', { ...factsOfStep(started), outcome, reason });
      if (failure.needsAdmin && !isFailed) {
        log.error('slack_needs_admin', { ...factsOf(started.job), call_id: started.call.id, reason });
      }
      return result;
    },
    // A second completion changes nothing at Slack.
    recover: async () => ({ outcome: { state: 'retry', detail: 'interrupted' }, wait: null }),
    stillCounts: (result, { state }, isHeld) => {
      const isOpen = state === 'pending' || state === 'started';
      return isOpen && (isHeld || result.outcome.state === 'done') ? result : null;
    },
    settle: async (tx, { call, job }, { outcome, hold, wait }, { nowMs }) => {
      await tx.calls.settle(call.id, outcome, nowMs);
      if (hold === 'begins') await tx.calls.hold(call.id, nowMs);
      if (outcome.state !== 'retry') await tx.stepTokens.forget(job.id);
      return wait;
    },
  };

  function resultOf({ call: { heldSinceMs } }: DueCall, failure: SlackFailure): Result {
    const { code: detail, outcome, isPassing } = failure;
    const nowMs = clock.now();
    const isTriedForLong = isPassing && heldSinceMs !== null && nowMs - heldSinceMs > HELD_FOR_MS;
    if (outcome === 'refused' || isStepRefusal(detail) || isTriedForLong) {
      return { outcome: { state: 'failed', detail }, wait: null };
    }
    return {
      outcome: { state: 'retry', detail },
      ...(isPassing && { hold: 'begins' }),
      wait: { retryAtMs: nowMs + slackRetryMs(task, failure) },
    };
  }
}

async function completionOf(request: CallRequest, job: Job, workspace: Workspace): Promise<Completion> {
  if (request.kind !== 'complete_step') throw new Error(`${request.kind} is no completion of a step`);
  const { executionId, result } = request;
  const thread = await threadLink(workspace, { ...job, threadTs: threadOf(job) });
  if (result.kind === 'error') {
    const { problem } = result;
    const byUserId = problem.kind === 'dropped' ? problem.byUserId : null;
    const names = await workspace.names.named(byUserId === null ? [] : [byUserId]);
    return { kind: 'error', executionId, error: stepErrorText(problem, thread, names) };
  }
  const { state, pullRequest } = result;
  const outputs = { thread: thread ?? '', state, pull_request: pullRequest ?? '' };
  return { kind: 'success', executionId, outputs };
}

/** A draft at the top level of its channel becomes the root of the thread. */
function threadOf({ threadTs, stage }: Job): string | null {
  const isDraft = stage.kind === 'draft' || stage.kind === 'dropped';
  return threadTs ?? (isDraft ? (stage.thread?.threadTs ?? stage.postTs) : null);
}
