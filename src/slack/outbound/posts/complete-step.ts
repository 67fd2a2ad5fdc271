import { factsOf } from '../../../engine/apply-event.ts';
import { type DueCall, type Effect, runLane } from '../../../engine/run-lane.ts';
import type { CallRequest } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { isStepRefusal } from '../../protocol/error-codes.ts';
import { stepErrorText } from '../../views/step-error.ts';
import type { Completion } from '../../workspace/poster.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../refresh/refresh.ts';
import { threadLink } from '../render.ts';
import {
  failureIn,
  isTriedForLong,
  type PostResult,
  refused,
  retryLater,
  stillCounts,
} from './post-results.ts';
import { settle } from './post-to-slack.ts';

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

function completions(
  tools: SlackTools,
  task: ClaimedTask,
): Effect<{ readonly completion: Completion; readonly token: string | null }, PostResult> {
  const { clock, log, store, workspaces } = tools;
  const factsOfStep = ({ call, job }: DueCall) => ({
    call_id: call.id,
    ...factsOf(job),
    lag_ms: clock.now() - call.createdAtMs,
  });
  return {
    prepare: async ({ call, job }) => {
      // Came with the step, while valid.
      const token = await store.transaction((tx) => tx.stepTokens.get(job.id, clock.now()));
      return { token, completion: await completionOf(call.request, job, await workspaces.of(job.teamId)) };
    },
    admit: async () => null,
    perform: async (started, { token, completion }) => {
      const { poster } = await workspaces.of(started.job.teamId);
      const by = await poster.completeStep(completion, token);
      log.info('step_completed', { ...factsOfStep(started), outcome: 'done', by });
      return { outcome: { state: 'done', detail: null } };
    },
    classify: (started, thrown) => {
      const failure = failureIn(thrown, 'functions.completeSuccess');
      const { code: reason, outcome, needsAdmin } = failure;
      const attempt = { task, ...started, failure, nowMs: clock.now() };
      const isFailed = outcome === 'refused' || isStepRefusal(reason) || isTriedForLong(attempt);
      const facts = { outcome: isFailed ? 'refused' : outcome, reason };
      log[isFailed ? 'error' : 'warn']('step_completed', { ...factsOfStep(started), ...facts });
      if (needsAdmin && !isFailed) {
        log.error('slack_needs_admin', { ...factsOf(started.job), call_id: started.call.id, reason });
      }
      return isFailed ? refused(started.call, reason) : retryLater(attempt);
    },
    // A second completion changes nothing at Slack.
    recover: async () => ({ outcome: { state: 'retry', detail: 'interrupted' } }),
    stillCounts,
    settle: async (tx, due, result, context) => {
      if (result.outcome?.state !== 'retry') await tx.stepTokens.forget(due.job.id);
      return settle(tx, due, result, context);
    },
  };
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
