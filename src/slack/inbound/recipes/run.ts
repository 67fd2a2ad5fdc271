import { placeholdersIn, type Recipe, type RecipeValues } from '../../../jobs/recipe.ts';
import { decodeRecipeForm } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { noFormView } from '../../views/forms/compose.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import {
  noSuchRecipeView,
  recipeForm,
  recipeProblemView,
  recipeSkippedView,
  runningView,
} from '../../views/recipes.ts';
import { noteRefusal, noteRequest } from '../connection/request-log.ts';
import type { Command, Interaction, ListenerDeps, Press, Submission } from '../listener.ts';
import { admissionProblem, inTime, linkTo, openForm, storeRequest } from '../requests/door.ts';
import { type RecipeOutcome, startRecipe } from './start-recipe.ts';

/** `/docs-agent run <name>`. A form asks for missing values. */
export async function run(deps: ListenerDeps, command: Command, name: string): Promise<void> {
  const problem = await runNamed(deps, command, name);
  await (problem === null ? command.ack() : command.tell(problem));
}

/** *Run*, in the list of recipes. */
export async function runPressed(deps: ListenerDeps, press: Press): Promise<void> {
  const message = await runNamed(deps, { ...press, responseUrl: null }, press.value);
  await (message === null ? press.ack() : press.tell(message));
}

/** What to tell the person; null: the form or the card is the answer. */
async function runNamed(deps: ListenerDeps, made: Interaction, name: string): Promise<SlackMessage | null> {
  const { userId, channelId, triggerId, responseUrl } = made;
  const recipe = deps.recipesOf(deps.teamId).find((one) => one.name === name.toLowerCase());
  if (recipe === undefined) {
    noteRefusal(deps, userId, 'unknown_recipe');
    return noSuchRecipe(deps, userId, name);
  }
  if (placeholdersIn(recipe.request).some((placeholder) => !recipe.values.has(placeholder))) {
    // The form shows the request.
    const denial = await admissionProblem(deps, userId, recipe.channelId);
    if (denial !== null) return denial;
    const isOpen = (await openForm(deps, triggerId, recipeForm(recipe, { responseUrl }))) !== null;
    return isOpen ? null : noFormView;
  }
  const ran = await runRecipe(deps, made, { recipe, from: 'command' });
  if (ran !== null && 'problem' in ran) return ran.problem;
  // In its own channel, the card is the answer.
  return ran === null || recipe.channelId === channelId ? null : runningView(recipe, ran.kind === 'drafted');
}

/** The form with the values: stored before it is acknowledged. */
export async function recipeFormSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const { values } = form.view.state;
  const made = decodeRecipeForm(form.view.private_metadata);
  const recipe = deps.recipesOf(deps.teamId).find(({ name }) => name === made?.recipe);
  const [firstField = ''] = Object.keys(values);
  // It has been removed from the settings.
  if (recipe === undefined) {
    return form.tell(await noSuchRecipe(deps, form.userId, made?.recipe ?? ''), firstField);
  }
  const filled = placeholdersIn(recipe.request).map((name): [string, string] => {
    const id = formIds.value + name;
    return [name, values[id]?.[id]?.value ?? ''];
  });
  const asked = { ...form, responseUrl: made?.responseUrl ?? null };
  const ran = await runRecipe(deps, asked, { recipe, from: 'form', values: new Map(filled) });
  if (ran === null || 'kind' in ran) return form.ack();
  await form.tell(ran.problem, ran.field === undefined ? firstField : formIds.value + ran.field);
}

/** The person chose it in the form for requests, which then asks for its values. */
export async function recipeChosen(
  deps: ListenerDeps,
  form: Submission,
  { name, responseUrl }: { readonly name: string; readonly responseUrl: string | null },
): Promise<void> {
  const recipe = deps.recipesOf(deps.teamId).find((one) => one.name === name);
  if (recipe === undefined) {
    return form.tell(await noSuchRecipe(deps, form.userId, name), formIds.recipe);
  }
  if (placeholdersIn(recipe.request).length > 0) return form.update(recipeForm(recipe, { responseUrl }));
  const ran = await runRecipe(deps, { ...form, responseUrl }, { recipe, from: 'form' });
  await (ran === null || 'kind' in ran ? form.ack() : form.tell(ran.problem, formIds.recipe));
}

/** Names those that the person may run. */
async function noSuchRecipe(deps: ListenerDeps, userId: string, name: string): Promise<SlackMessage> {
  return noSuchRecipeView(name, await recipesFor(deps, userId));
}

interface Run {
  readonly recipe: Recipe;
  readonly values?: RecipeValues;
  readonly from: 'command' | 'form';
}

/** `field`: the placeholder with the problem. */
type Ran =
  | Extract<RecipeOutcome, { kind: 'started' | 'drafted' }>
  | { readonly problem: SlackMessage; readonly field?: string };

/** Null: Slack redelivers the request. */
async function runRecipe(
  deps: ListenerDeps,
  { userId, responseUrl, keys }: Pick<Interaction, 'userId' | 'responseUrl' | 'keys'>,
  { recipe, values, from }: Run,
): Promise<Ran | null> {
  const { store, teamId } = deps;
  // The admission has checked whether the channel is shared.
  const request = { teamId, recipe, userId, responseUrl, keys, values, isClosed: false };
  const stored = await storeRequest(
    deps,
    () =>
      store.transaction((tx) => startRecipe(tx, { ...request, origin: { kind: from } }, deps.newContext())),
    // Its jobs have their threads there, wherever it is run.
    () => admissionProblem(deps, userId, recipe.channelId),
  );
  if ('problem' in stored) return stored;
  const { result: outcome } = stored;
  switch (outcome.kind) {
    case 'duplicate':
      noteRequest({ outcome: 'duplicate' });
      return null;
    case 'started':
    case 'drafted':
      noteRequest({ outcome: 'accepted', jobId: outcome.job.id });
      return outcome;
    case 'skipped':
      noteRefusal(deps, userId, 'recipe_open');
      // A form's errors cannot show links.
      return { problem: recipeSkippedView(recipe.name, from === 'form' ? null : linkTo(deps, outcome.job)) };
    case 'refused': {
      const { problem } = outcome;
      noteRefusal(deps, userId, problem.kind);
      const field = problem.kind === 'bad_value' ? { field: problem.name } : {};
      return { problem: recipeProblemView(problem), ...field };
    }
    case 'paused':
    case 'shared_channel':
      throw new Error(`only a recipe that starts by itself can end as ${outcome.kind}`);
  }
}

/** A form waits this long, and is complete without recipes. */
const KNOWN_WITHIN_MS = 500;

/** The recipes that the person may run: each starts in its own channel. */
export async function recipesFor(deps: ListenerDeps, userId: string): Promise<readonly Recipe[]> {
  const allowed = deps
    .recipesOf(deps.teamId)
    .map(async (recipe) => ((await deps.access.refusal(userId, recipe.channelId)) === null ? [recipe] : []));
  const known = Promise.all(allowed).catch((error: unknown) => {
    deps.log.warn('recipes_not_offered', { error });
    return [];
  });
  return (await inTime(deps, KNOWN_WITHIN_MS, known, [])).flat();
}
