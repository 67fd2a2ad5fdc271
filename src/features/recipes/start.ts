import { type AnyJobContext, applyEvent } from '#engine/apply-event.ts';
import { dueMoment, momentServed } from '#engine/schedules.ts';
import { openJob, requestDraft } from '#jobs/decide/open.ts';
import { isUnwatched, type Job, type Origin, openStages } from '#jobs/job.ts';
import { approversIn, channelSettingsOf } from '#jobs/policy.ts';
import { resumedRuns } from '#jobs/recipe.ts';
import { judgePrompt } from '#jobs/requests/command.ts';
import { isWaitOn } from '#jobs/schedule/schedule.ts';
import { admissionProblem, requireAdmin } from '#slack/inbound/admission.ts';
import { noteRefusal, noteRequest } from '#slack/inbound/connection/requests.ts';
import { inTime, linkTo, namesOf, openOrTell, Refused, refusedIn } from '#slack/inbound/interaction.ts';
import type { FeatureListeners, Interaction, ListenerDeps, Press } from '#slack/inbound/listener.ts';
import { recordPress, storePress, storeRequest } from '#slack/inbound/once.ts';
import { decode, formIds, recipeData } from '#slack/protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '#slack/protocol/slack-text.ts';
import type { SlackMessage } from '#slack/views/message.ts';
import { ChannelUnreadError } from '#slack/workspace/access.ts';
import { partsOf } from '#store/queries/task.ts';
import type { ClaimedTask, Transaction } from '#store/store.ts';
import type { FeatureTools } from '../feature.ts';
import { fillRecipe, placeholdersIn, type Recipe, type RecipeProblem, recipesIn } from './recipe.ts';
import {
  noSuchRecipeView,
  notPausedView,
  recipeForm,
  recipeProblemView,
  recipeSkippedView,
  recipesView,
  resumedView,
  runningView,
} from './view.ts';

/** By then, the work has ended, or somebody has found it. */
const UNCLEAR_FOR_MS = 3_600_000;

/** Whether another job would do the same work. */
export function isInTheWay(job: Job, nowMs: number): boolean {
  const { stage } = job;
  if (stage.kind === 'create_unknown') {
    return isWaitOn(stage.sinceMs + UNCLEAR_FOR_MS, UNCLEAR_FOR_MS, nowMs);
  }
  return openStages.some((open) => open === stage.kind) && !isUnwatched(job);
}

export type RecipeRequest = Readonly<{
  teamId: string;
  recipe: Recipe;
  origin: Origin;
  /** Known to be shared with another organisation. */
  isClosed: boolean;
  userId?: string | null;
  responseUrl?: string | null;
  /** The keys of Slack's deliveries; remembered if the recipe starts. */
  keys?: readonly string[];
  values?: ReadonlyMap<string, string> | undefined;
  text?: string;
}>;

type RecipeOutcome = Readonly<
  /** `paused`: after failures. */
  | { kind: 'duplicate' | 'paused' | 'shared_channel' }
  | { kind: 'started' | 'drafted' | 'skipped'; job: Job }
  | { kind: 'refused'; problem: RecipeProblem }
>;

const CHANNEL_READ_WITHIN_MS = 1_000;

/** False also if Slack does not answer in time: the card then waits. */
export async function isClosedTo(
  { workspaces, clock }: FeatureTools,
  teamId: string,
  { channelId }: Recipe,
): Promise<boolean> {
  const { access } = await workspaces.of(teamId);
  const isClosed = access.shared.isClosed(channelId).catch((error: unknown) => {
    if (error instanceof ChannelUnreadError) return false;
    throw error;
  });
  return clock.timeout(CHANNEL_READ_WITHIN_MS, isClosed, false);
}

export async function startRecipe(
  tx: Transaction,
  request: RecipeRequest,
  context: AnyJobContext,
): Promise<RecipeOutcome> {
  const { teamId, recipe, origin, userId = null, keys = [], values = new Map(), text = '' } = request;
  const { nowMs } = context;
  const key = { teamId, name: recipe.name };
  await tx.recipes.lockStarts(key);
  // Job before recipe: the lock order of all job events.
  const { jobId: lastId } = await tx.recipes.get(key);
  const last = lastId === null ? null : ((await tx.jobs.lock(lastId))?.job ?? null);
  const runs = await tx.recipes.lock(key);
  // After the lock: concurrent deliveries see each other.
  if (keys.length > 0 && (await tx.inboundRequests.isKnown(keys))) return { kind: 'duplicate' };
  // Before any skip: senders learn of mistakes at once.
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
  const { projectName } = channelSettingsOf(rules, channelId, saved);
  const wanted = recipe.projectName ?? projectName;
  const project = rules.projects.find(({ name }) => name === wanted) ?? rules.projects[0];
  if (project === undefined) return { kind: 'refused', problem: { kind: 'no_project' } };
  const job = {
    ...{ teamId, channelId, origin, requesterId: userId, recipe: recipe.name, owners: recipe.owners },
    projectId: project.id,
    projectName: project.name,
    prompt: escapeMrkdwn(filled.prompt),
    responseUrl: request.responseUrl ?? null,
    thread: null,
  };
  const decision = recipe.isDraft
    ? requestDraft(job, { approvers: approversIn(rules, channelId) }, context)
    : openJob(job, context);
  await tx.inboundRequests.remember(keys, nowMs);
  await tx.write(decision, nowMs);
  await tx.recipes.put(key, { ...runs, jobId: decision.job.id, hasFailed: false });
  return { kind: recipe.isDraft ? 'drafted' : 'started', job: decision.job };
}

export async function startScheduled(tools: FeatureTools, task: ClaimedTask): Promise<void> {
  const { teamId, name } = partsOf(task.subject);
  const recipe = recipesIn(tools.featureSettingsOf(teamId)).find((one) => one.name === name);
  const isClosed = recipe !== undefined && (await isClosedTo(tools, teamId, recipe));
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
    tools.log.info('recipe_due', { ...facts, ...('job' in outcome && { job_id: outcome.job.id }) });
  }
}

function recipeNamed({ featureSettingsOf, teamId }: ListenerDeps, name: string | undefined) {
  return recipesIn(featureSettingsOf(teamId)).find((recipe) => recipe.name === name);
}

/** Null: a form or the card is the answer. */
async function runNamed(deps: ListenerDeps, made: Interaction, name: string): Promise<SlackMessage | null> {
  const { userId, channelId, responseUrl } = made;
  const recipe = recipeNamed(deps, name.toLowerCase());
  if (recipe === undefined) {
    noteRefusal(deps, userId, 'unknown_recipe');
    return noSuchRecipe(deps, userId, name);
  }
  if (placeholdersIn(recipe.request).some((placeholder) => !recipe.values.has(placeholder))) {
    // The form shows the request.
    const problem = await admissionProblem(deps, userId, recipe.channelId);
    return problem ?? openOrTell(deps, made, recipeForm(recipe, responseUrl));
  }
  const isStarted = await runRecipe(deps, made, 'command', recipe);
  return isStarted && recipe.channelId !== channelId ? runningView(recipe) : null;
}

async function noSuchRecipe(deps: ListenerDeps, userId: string, name: string) {
  return noSuchRecipeView(name, await recipesFor(deps, userId));
}

/** False: a duplicate. Throws `Refused`. */
async function runRecipe(
  deps: ListenerDeps,
  { userId, responseUrl, keys }: Pick<Interaction, 'userId' | 'responseUrl' | 'keys'>,
  from: 'command' | 'form',
  recipe: Recipe,
  values?: ReadonlyMap<string, string>,
) {
  const { store, teamId } = deps;
  const outcome = await storeRequest(
    deps,
    () =>
      store.transaction((tx) => {
        // Admission checks whether the channel is shared.
        const request = { teamId, recipe, userId, responseUrl, keys, values, isClosed: false };
        return startRecipe(tx, { ...request, origin: { kind: from } }, deps.newContext());
      }),
    // The job's thread is there.
    () => admissionProblem(deps, userId, recipe.channelId),
  );
  if (outcome.kind === 'skipped') {
    noteRefusal(deps, userId, 'recipe_open');
    // A form's errors cannot show links.
    throw new Refused(recipeSkippedView(recipe.name, from === 'form' ? null : linkTo(deps, outcome.job)));
  }
  if (outcome.kind === 'refused') {
    const { problem } = outcome;
    noteRefusal(deps, userId, problem.kind);
    const field = problem.kind === 'bad_value' ? formIds.value + problem.name : undefined;
    throw new Refused(recipeProblemView(problem), field);
  }
  if (outcome.kind === 'duplicate') {
    noteRequest({ outcome: 'duplicate' });
    return false;
  }
  if (!('job' in outcome)) throw new Error(`only a recipe that starts by itself can end as ${outcome.kind}`);
  noteRequest({ outcome: 'accepted', jobId: outcome.job.id });
  return true;
}

async function recipesFor(deps: ListenerDeps, userId: string): Promise<readonly Recipe[]> {
  const allowed = recipesIn(deps.featureSettingsOf(deps.teamId)).map(async (recipe) =>
    (await deps.access.refusal(userId, recipe.channelId)) === null ? [recipe] : [],
  );
  const found = Promise.all(allowed).catch((error: unknown) => {
    deps.log.warn('recipes_not_offered', { error });
    return [];
  });
  return (await inTime(deps, 'formDetail', found, [])).flat();
}

export const recipeListeners: FeatureListeners = {
  // Without recipes, `run` is a normal request.
  commands: ({ featureSettingsOf, teamId }) =>
    recipesIn(featureSettingsOf(teamId)).length === 0
      ? {}
      : { run: (deps, command, { name }) => runNamed(deps, command, name) },
  answers: { recipes: async (deps, userId) => recipesView(await recipesFor(deps, userId)) },
  presses: {
    runRecipe: (deps, press) => runNamed(deps, { ...press, responseUrl: null }, press.value),
    resumeRecipe,
  },
  submissions: {
    recipe: async (deps, form) => {
      const { values } = form.view.state;
      const made = decode(recipeData, form.view.private_metadata);
      const recipe = recipeNamed(deps, made?.recipe);
      if (recipe === undefined) return noSuchRecipe(deps, form.userId, made?.recipe ?? '');
      const filled = placeholdersIn(recipe.request).map((name): [string, string] => {
        const id = formIds.value + name;
        return [name, values[id]?.[id]?.value ?? ''];
      });
      const interaction = { ...form, responseUrl: made?.responseUrl ?? null };
      await runRecipe(deps, interaction, 'form', recipe, new Map(filled));
      return null;
    },
  },
  menu: {
    namesFor: async (deps, userId) => (await recipesFor(deps, userId)).map(({ name }) => name),
    choose: async (deps, form, { name, responseUrl }) => {
      const recipe = recipeNamed(deps, name);
      if (recipe === undefined)
        throw new Refused(await noSuchRecipe(deps, form.userId, name), formIds.recipe);
      if (placeholdersIn(recipe.request).length > 0) return form.update(recipeForm(recipe, responseUrl));
      await runRecipe(deps, { ...form, responseUrl }, 'form', recipe).catch((error: unknown) => {
        throw new Refused(refusedIn(error).answer, formIds.recipe);
      });
      return null;
    },
  },
};

/** Missed starts are not made up for. */
async function resumeRecipe(deps: ListenerDeps, press: Press) {
  const { teamId } = deps;
  const { value: name, userId, keys, buttonId: button } = press;
  await requireAdmin(deps, userId, 'resume');
  const stored = storeRequest(deps, () =>
    deps.store.transaction(async (tx) => {
      const context = deps.newContext();
      const key = { teamId, name };
      if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
      const runs = await tx.recipes.lock(key);
      const hasEffect = runs.pausedAtMs !== null;
      if (hasEffect) await tx.recipes.put(key, resumedRuns(runs));
      await recordPress(tx, deps, context, { userId, button, jobId: null, hasEffect });
      return hasEffect;
    }),
  );
  const hasEffect = await storePress(press, stored);
  if (hasEffect === null) {
    noteRequest({ outcome: 'duplicate' });
    return null;
  }
  if (!hasEffect) return notPausedView(name);
  await press.ack();
  deps.log.info('recipe_resumed', { team_id: teamId, recipe: name, user_id: userId });
  const names = await namesOf(deps, [userId]);
  return press.replace(resumedView(name, names.get(userId) ?? 'somebody'));
}
