import { applyEvent, type EngineTools } from '../../../engine/apply-event.ts';
import type { Clock } from '../../../engine/runtime/clock.ts';
import { dueMoment, momentServed } from '../../../engine/schedules.ts';
import { requestDraft } from '../../../jobs/decide/start/drafts.ts';
import { type JobRequest, openJob } from '../../../jobs/decide/start/open.ts';
import type { AnyJobContext } from '../../../jobs/decision.ts';
import type { Job, Origin } from '../../../jobs/job.ts';
import { approversIn, settingsOf } from '../../../jobs/policy.ts';
import {
  type Filled,
  fillRecipe,
  isInTheWay,
  type Recipe,
  type RecipeValues,
  resumedRuns,
  runsWithJob,
} from '../../../jobs/recipe.ts';
import { judgePrompt, type PromptVerdict } from '../../../jobs/requests/command.ts';
import { partsOf } from '../../../store/queries/tasks/task.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { escapeMrkdwn, sanitize } from '../../protocol/slack-text.ts';
import { notPausedView, resumedView } from '../../views/recipes.ts';
import { ChannelUnreadError } from '../../workspace/access.ts';
import type { Workspaces } from '../../workspace/workspace.ts';
import { noteRequest } from '../connection/request-log.ts';
import { type ListenerDeps, notStored, type Press } from '../listener.ts';
import { adminProblem, namesIn, storeRequest } from '../requests/door.ts';
import { recordPress } from '../requests/job-event.ts';

export interface RecipeRequest {
  readonly teamId: string;
  readonly recipe: Recipe;
  readonly origin: Origin;
  /** Its channel is known to be shared with another organisation. */
  readonly isClosed: boolean;
  /** Who runs it; null: it starts by itself. */
  readonly userId?: string | null;
  readonly responseUrl?: string | null;
  /** All names under which Slack may redeliver it; remembered if it starts. */
  readonly keys?: readonly string[];
  readonly values?: RecipeValues | undefined;
  /** Added as a quotation. */
  readonly text?: string;
}

export type RecipeOutcome =
  /** An earlier delivery has started it. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'started' | 'drafted'; readonly job: Job }
  /** Its last job is open. */
  | { readonly kind: 'skipped'; readonly job: Job }
  /** It does not start by itself after failures. */
  | { readonly kind: 'paused' }
  /** Nothing starts in a channel that is shared with another organisation. */
  | { readonly kind: 'shared_channel' }
  | { readonly kind: 'refused'; readonly problem: RecipeProblem };

export type RecipeProblem =
  | Exclude<Filled, { kind: 'filled' }>
  | Extract<PromptVerdict, { kind: 'too_long' }>
  /** Its workspace has no project. */
  | { readonly kind: 'no_project' };

/** A card waits for Slack, as the poster asks again; the caller does not. */
const LOOK_WITHIN_MS = 1_000;

/**
 * Whether the recipe's channel is shared with another organisation, as far as Slack says in time: then
 * nothing starts there.
 */
export async function isClosedTo(
  { workspaces, clock }: { readonly workspaces: Workspaces; readonly clock: Clock },
  { teamId, recipe }: Pick<RecipeRequest, 'teamId' | 'recipe'>,
): Promise<boolean> {
  const { access } = await workspaces.of(teamId);
  const isShared = access.shared.isClosed(recipe.channelId).catch((error: unknown) => {
    if (error instanceof ChannelUnreadError) return false;
    throw error;
  });
  return clock.timeout(LOOK_WITHIN_MS, isShared, false);
}

/** Starts the recipe's job unless its last one is open, whose thread is told. */
export async function startRecipe(
  tx: Transaction,
  request: RecipeRequest,
  context: AnyJobContext,
): Promise<RecipeOutcome> {
  const { teamId, recipe, userId = null, keys = [] } = request;
  const { nowMs } = context;
  const key = { teamId, name: recipe.name };
  await tx.recipes.lockStarts(key);
  // The job before its recipe, in the lock order of all job events.
  const { jobId: lastId } = await tx.recipes.get(key);
  const last = lastId === null ? null : ((await tx.jobs.lock(lastId))?.job ?? null);
  const runs = await tx.recipes.lock(key);
  // Behind the lock, so that concurrent deliveries see each other.
  if (keys.length > 0 && (await tx.inboundRequests.isKnown(keys))) return { kind: 'duplicate' };
  // Before any skip: a sender learns of a mistake at once, not after the last job's end.
  const { values = new Map(), text = '' } = request;
  const clean = new Map([...values].map(([name, value]) => [name, sanitize(value)]));
  const filled = fillRecipe(recipe, clean, sanitize(text));
  if (filled.kind !== 'filled') return { kind: 'refused', problem: filled };
  const verdict = judgePrompt(filled.prompt, context.policy.promptMaxLength);
  if (verdict.kind === 'too_long') return { kind: 'refused', problem: verdict };
  if (request.isClosed) return { kind: 'shared_channel' };
  if (userId === null && runs.pausedAtMs !== null) return { kind: 'paused' };
  if (last !== null && isInTheWay(last, nowMs)) {
    if (userId === null) await applyEvent(tx, last.id, { type: 'recipe_skipped' }, context);
    return { kind: 'skipped', job: last };
  }
  const { channelId } = recipe;
  const rules = context.rulesOf(teamId);
  const saved = await tx.channelSettings.get(teamId, channelId);
  const own = settingsOf(rules, channelId, saved?.settings ?? null).projectName;
  const called = recipe.projectName ?? own;
  const project = rules.projects.find(({ name }) => name === called) ?? rules.projects[0];
  if (project === undefined) return { kind: 'refused', problem: { kind: 'no_project' } };
  const asked: JobRequest = {
    teamId,
    channelId,
    requesterId: userId,
    recipe: recipe.name,
    owners: recipe.owners,
    origin: request.origin,
    projectId: project.id,
    projectName: project.name,
    prompt: escapeMrkdwn(filled.prompt),
    responseUrl: request.responseUrl ?? null,
    thread: null,
  };
  const decision = recipe.isDraft
    ? requestDraft(asked, { approvers: approversIn(rules, channelId) }, context)
    : openJob(asked, context);
  await tx.inboundRequests.remember(keys, nowMs);
  await tx.write(decision, nowMs);
  await tx.recipes.put(key, runsWithJob(runs, decision.job.id));
  return { kind: recipe.isDraft ? 'drafted' : 'started', job: decision.job };
}

export interface RecipeTools extends EngineTools {
  readonly workspaces: Workspaces;
  readonly recipesOf: (teamId: string) => readonly Recipe[];
}

export async function startScheduled(tools: RecipeTools, task: ClaimedTask): Promise<void> {
  const { teamId, name } = partsOf(task.subject);
  const recipe = tools.recipesOf(teamId).find((one) => one.name === name);
  const isClosed = recipe !== undefined && (await isClosedTo(tools, { teamId, recipe }));
  const outcome = await tools.store.transaction(async (tx) => {
    const context = tools.newContext();
    const moment = await dueMoment(tx, task, recipe?.schedule ?? null, context.nowMs);
    if (moment === null || recipe === undefined) return null;
    const request = { teamId, recipe, isClosed, origin: { kind: 'schedule' } } as const;
    const started = await startRecipe(tx, request, context);
    await momentServed(tx, task, moment, context.nowMs);
    return started;
  });
  if (outcome === null) return;
  const facts = { team_id: teamId, recipe: name, source: 'schedule', outcome: outcome.kind };
  if (outcome.kind === 'refused') {
    tools.log.error('recipe_due', { ...facts, reason: outcome.problem.kind });
  } else {
    const job = 'job' in outcome ? { job_id: outcome.job.id } : {};
    tools.log.info('recipe_due', { ...facts, ...job });
  }
}

/** *Resume*: an administrator lets a recipe start by itself again. Missed starts are not made up for. */
export async function resumeRecipe(deps: ListenerDeps, press: Press): Promise<void> {
  const { teamId } = deps;
  const { value: name, userId, keys, buttonId: button } = press;
  const problem = await adminProblem(deps, userId, 'resume');
  if (problem !== null) return press.tell(problem);
  const stored = await storeRequest(deps, () =>
    deps.store.transaction(async (tx) => {
      const context = deps.newContext();
      const key = { teamId, name };
      if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
      const isPaused = (await tx.recipes.get(key)).pausedAtMs !== null;
      const runs = isPaused ? await tx.recipes.lock(key) : null;
      const hasEffect = runs !== null && runs.pausedAtMs !== null;
      if (hasEffect) await tx.recipes.put(key, resumedRuns(runs));
      await recordPress(tx, deps, context, { userId, button, jobId: null, hasEffect });
      return hasEffect;
    }),
  );
  if ('problem' in stored) {
    await press.tellBeside(stored.problem);
    throw notStored(press);
  }
  const { result: hasEffect } = stored;
  if (hasEffect === null) noteRequest({ outcome: 'duplicate' });
  if (!hasEffect) return hasEffect === null ? press.ack() : press.tell(notPausedView(name));
  await press.ack();
  deps.log.info('recipe_resumed', { team_id: teamId, recipe: name, user_id: userId });
  const names = await namesIn(deps, [`<@${userId}>`]);
  await press.replace(resumedView(name, names.get(userId) ?? 'somebody'));
}
