import { type DecisionTable, decide } from '#jobs/decide/decide.ts';
import type { Decision, DecisionContext } from '#jobs/decide/decision-builder.ts';
import type { JobEvent } from '#jobs/event.ts';
import type { Job } from '#jobs/job.ts';
import { type Policy, policyFor, type Rules } from '#jobs/policy.ts';
import type { CodeHostSite } from '#jobs/pull-requests/link.ts';
import { resumedRuns, updateRuns } from '#jobs/recipe.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import type { ClaimedTask, LockedJob, Store, Transaction } from '#store/store.ts';

export type EventFeatures = Readonly<{
  decisions: DecisionTable;
  /** Runs in the transaction of the event. */
  afterWrite: readonly AfterWrite[];
}>;

export type AfterWrite = (tx: Transaction, decision: Decision, context: AnyJobContext) => Promise<void>;

/** `policy` holds the defaults; `policyOf` applies those of the job's channel and project. */
export interface AnyJobContext extends DecisionContext {
  readonly rulesOf: (teamId: string) => Rules;
  readonly features: EventFeatures;
}

export type EngineTools = Readonly<{
  store: Store;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  newContext: () => AnyJobContext;
}>;

/** Lets another process take the task at once. */
export async function release({ store }: EngineTools, { lease }: ClaimedTask): Promise<void> {
  await store.transaction((tx) => tx.tasks.release([lease]));
}

export function factsOf({ id, teamId, projectName }: Job) {
  return { job_id: id, team_id: teamId, project: projectName };
}

/** Sites whose pull requests have short names. */
export function sitesOf({ newContext }: Pick<EngineTools, 'newContext'>): readonly CodeHostSite[] {
  return newContext().policy.pullRequests.sites;
}

/** Returns the job afterwards. */
export async function applyEvent(
  tx: Transaction,
  jobId: string,
  event: JobEvent,
  context: AnyJobContext,
): Promise<{ readonly job: Job; readonly hasEffect: boolean }> {
  const { messageTs } = 'reply' in event ? event.reply : { messageTs: null, ...event };
  const state = await tx.jobs.lock(jobId, messageTs);
  if (state === null) throw new Error(`There is no job ${jobId} in the store`);
  const { job } = state;
  const { decisions, afterWrite } = context.features;
  const decision = decide(state, event, { ...context, policy: policyOf(state, context) }, decisions);
  await tx.write(decision, context.nowMs);
  for (const write of afterWrite) await write(tx, decision, context);
  if (await pausesRecipe(tx, decision.job, event, context)) {
    await applyEvent(tx, jobId, { type: 'recipe_paused' }, context);
  }
  const { followUps, calls, tasks } = decision;
  const hasEffect = decision.job !== job || followUps.length + calls.length + tasks.length > 0;
  return { job: decision.job, hasEffect };
}

/** Returns whether the outcome pauses the recipe. */
async function pausesRecipe(tx: Transaction, job: Job, event: JobEvent, { nowMs }: AnyJobContext) {
  const { teamId, recipe: name } = job;
  if (name === undefined) return false;
  const key = { teamId, name };
  const before = await tx.recipes.lock(key);
  // Without the message, there is no *Resume*: the next failure announces it again.
  const after = event.type === 'pause_refused' ? resumedRuns(before) : updateRuns(before, job, nowMs);
  if (after === before) return false;
  await tx.recipes.put(key, after);
  return before.pausedAtMs === null && after.pausedAtMs !== null;
}

export function policyOf(
  { job, saved }: Pick<LockedJob, 'job' | 'saved'>,
  { policy, rulesOf }: Pick<AnyJobContext, 'policy' | 'rulesOf'>,
): Policy {
  return policyFor(policy, rulesOf(job.teamId), job, saved);
}

export async function expireDraft({ store, newContext }: EngineTools, task: ClaimedTask): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    if ((await tx.jobs.get(task.subject)) !== null) {
      await applyEvent(tx, task.subject, { type: 'draft_expired' }, newContext());
    }
    await tx.tasks.complete(task.lease);
  });
}
