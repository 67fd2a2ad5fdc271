import { factsOf } from '#engine/apply-event.ts';
import { type DueCall, runLane } from '#engine/run-lane.ts';
import type { CallRequest } from '#jobs/call.ts';
import { type Job, threadOrFormerOf } from '#jobs/job.ts';
import {
  applicableResult,
  isTriedForLong,
  type PostResult,
  record,
  refusalResult,
  retryLater,
} from '#slack/outbound/post-to-slack.ts';
import type { SlackTools } from '#slack/outbound/refresh.ts';
import { threadLink } from '#slack/protocol/ids.ts';
import { failureIn } from '#slack/workspace/caller.ts';
import type { Completion } from '#slack/workspace/poster.ts';
import type { Workspace } from '#slack/workspace/workspace.ts';
import type { ClaimedTask } from '#store/store.ts';
import type { Feature } from '../feature.ts';
import { StepTokens, stepReached } from './start.ts';
import { stepErrorText } from './view.ts';

/** `jobs/steps.ts` decides the step's result. */
export const workflowStep: Feature = {
  listeners: () => ({ events: { function_executed: stepReached } }),
  run: (tools) => ({
    tasks: {
      slack: {
        complete_step: (task) => completeStep(tools, task),
        forget_step_token: ({ subject: jobId, lease }) =>
          tools.store.transaction(async (tx) => {
            await tx.queries(StepTokens).forget(jobId);
            await tx.tasks.complete(lease);
          }),
      },
    },
  }),
};

function completeStep(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const { clock, log, store, workspaces } = tools;
  const factsOfStep = ({ call, job }: DueCall) => ({
    call_id: call.id,
    ...factsOf(job),
    lag_ms: clock.now() - call.createdAtMs,
  });
  return runLane<{ readonly completion: Completion; readonly token: string | null }, PostResult>(
    tools,
    {
      prepare: async ({ call, job }) => {
        const token = await store.transaction((tx) => tx.queries(StepTokens).get(job.id, clock.now()));
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
        const failure = failureIn(thrown);
        const { code: reason, outcome, needsAdmin } = failure;
        const attempt = { task, ...started, failure, nowMs: clock.now() };
        // Slack refuses this step, but may accept others.
        const isStepRefused = reason === 'access_denied';
        const isFailed = outcome === 'refused' || isStepRefused || isTriedForLong(attempt);
        const facts = { ...factsOfStep(started), outcome: isFailed ? 'refused' : outcome, reason };
        log[isFailed ? 'error' : 'warn']('step_completed', facts);
        if (needsAdmin && !isFailed) {
          log.error('slack_needs_admin', { ...factsOf(started.job), call_id: started.call.id, reason });
        }
        return isFailed ? refusalResult(started.call, reason) : retryLater(attempt);
      },
      // Slack ignores a second completion.
      recover: async () => ({ outcome: { state: 'retry', detail: 'interrupted' } }),
      applicableResult,
      record: async (tx, due, result, context) => {
        if (result.outcome?.state !== 'retry') await tx.queries(StepTokens).forget(due.job.id);
        return record(tx, due, result, context);
      },
    },
    task,
  );
}

async function completionOf(request: CallRequest, job: Job, workspace: Workspace): Promise<Completion> {
  if (request.kind !== 'complete_step') throw new Error(`${request.kind} is no completion of a step`);
  const { executionId, result } = request;
  const thread = threadLink(workspace.workspaceUrl, job.channelId, threadOrFormerOf(job));
  if (result.kind === 'error') {
    const { problem } = result;
    const byUserId = problem.kind === 'dropped' ? problem.byUserId : null;
    const names = await workspace.names.named(byUserId === null ? [] : [byUserId]);
    return { executionId, error: stepErrorText(problem, thread, names) };
  }
  const { state, pullRequest } = result;
  const outputs = { thread: thread ?? '', state, pull_request: pullRequest ?? '' };
  return { executionId, outputs };
}
