import type { Command as Words } from '../../jobs/requests/command.ts';
import { noteRefusal, noteRequest } from '../../slack/inbound/connection/requests.ts';
import {
  admissionProblem,
  inTime,
  linkTo,
  openOrTell,
  Refused,
  refusedIn,
  storeRequest,
} from '../../slack/inbound/door.ts';
import type { Command, Interaction, ListenerDeps, Press, Submission } from '../../slack/inbound/listener.ts';
import { decodeRecipeForm } from '../../slack/protocol/form-data.ts';
import { formIds } from '../../slack/protocol/ids.ts';
import type { SlackMessage } from '../../slack/views/message.ts';
import { placeholdersIn, type Recipe, recipesIn } from './recipe.ts';
import { startRecipe } from './start.ts';
import { noSuchRecipeView, recipeForm, recipeProblemView, recipeSkippedView, runningView } from './view.ts';

function recipeNamed({ settingsOf, teamId }: ListenerDeps, name: string | undefined): Recipe | undefined {
  return recipesIn(settingsOf(teamId)).find((recipe) => recipe.name === name);
}

export function run(deps: ListenerDeps, command: Command, words: Words): Promise<SlackMessage | null> {
  return runNamed(deps, command, words.kind === 'run' ? words.name : '');
}

export function runPressed(deps: ListenerDeps, press: Press): Promise<SlackMessage | null> {
  return runNamed(deps, { ...press, responseUrl: null }, press.value);
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
    const denial = await admissionProblem(deps, userId, recipe.channelId);
    return denial ?? openOrTell(deps, made, recipeForm(recipe, responseUrl));
  }
  const ran = await runRecipe(deps, made, 'command', recipe);
  return ran === null || recipe.channelId === channelId ? null : runningView(recipe);
}

export async function recipeFormSubmitted(
  deps: ListenerDeps,
  form: Submission,
): Promise<SlackMessage | null> {
  const { values } = form.view.state;
  const made = decodeRecipeForm(form.view.private_metadata);
  const recipe = recipeNamed(deps, made?.recipe);
  if (recipe === undefined) return noSuchRecipe(deps, form.userId, made?.recipe ?? '');
  const filled = placeholdersIn(recipe.request).map((name): [string, string] => {
    const id = formIds.value + name;
    return [name, values[id]?.[id]?.value ?? ''];
  });
  const interaction = { ...form, responseUrl: made?.responseUrl ?? null };
  await runRecipe(deps, interaction, 'form', recipe, new Map(filled));
  return null;
}

export async function recipeChosen(
  deps: ListenerDeps,
  form: Submission,
  { name, responseUrl }: { readonly name: string; readonly responseUrl: string | null },
): Promise<SlackMessage | null> {
  const recipe = recipeNamed(deps, name);
  if (recipe === undefined) throw new Refused(await noSuchRecipe(deps, form.userId, name), formIds.recipe);
  if (placeholdersIn(recipe.request).length > 0) return form.update(recipeForm(recipe, responseUrl));
  await runRecipe(deps, { ...form, responseUrl }, 'form', recipe).catch((error: unknown) => {
    throw new Refused(refusedIn(error).answer, formIds.recipe);
  });
  return null;
}

async function noSuchRecipe(deps: ListenerDeps, userId: string, name: string): Promise<SlackMessage> {
  return noSuchRecipeView(name, await recipesFor(deps, userId));
}

/** Null: a duplicate. Throws `Refused`. */
async function runRecipe(
  deps: ListenerDeps,
  { userId, responseUrl, keys }: Pick<Interaction, 'userId' | 'responseUrl' | 'keys'>,
  from: 'command' | 'form',
  recipe: Recipe,
  values?: ReadonlyMap<string, string>,
): Promise<'started' | 'drafted' | null> {
  const { store, teamId } = deps;
  // Admission checks whether the channel is shared.
  const request = { teamId, recipe, userId, responseUrl, keys, values, isClosed: false };
  const outcome = await storeRequest(
    deps,
    () =>
      store.transaction((tx) => startRecipe(tx, { ...request, origin: { kind: from } }, deps.newContext())),
    // The job's thread is there.
    () => admissionProblem(deps, userId, recipe.channelId),
  );
  switch (outcome.kind) {
    case 'duplicate':
      noteRequest({ outcome: 'duplicate' });
      return null;
    case 'started':
    case 'drafted':
      noteRequest({ outcome: 'accepted', jobId: outcome.job.id });
      return outcome.kind;
    case 'skipped':
      noteRefusal(deps, userId, 'recipe_open');
      // A form's errors cannot show links.
      throw new Refused(recipeSkippedView(recipe.name, from === 'form' ? null : linkTo(deps, outcome.job)));
    case 'refused': {
      const { problem } = outcome;
      noteRefusal(deps, userId, problem.kind);
      const field = problem.kind === 'bad_value' ? formIds.value + problem.name : undefined;
      throw new Refused(recipeProblemView(problem), field);
    }
    case 'paused':
    case 'shared_channel':
      throw new Error(`only a recipe that starts by itself can end as ${outcome.kind}`);
  }
}

export async function recipesFor(deps: ListenerDeps, userId: string): Promise<readonly Recipe[]> {
  const allowed = recipesIn(deps.settingsOf(deps.teamId)).map(async (recipe) =>
    (await deps.access.refusal(userId, recipe.channelId)) === null ? [recipe] : [],
  );
  const found = Promise.all(allowed).catch((error: unknown) => {
    deps.log.warn('recipes_not_offered', { error });
    return [];
  });
  return (await inTime(deps, 'formDetail', found, [])).flat();
}
