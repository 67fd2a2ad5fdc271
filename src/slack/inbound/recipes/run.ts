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
import type { CommandArgs, ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { refuseAtField } from '../forms/submit.ts';
import {
  admissionProblem,
  answer,
  answerBeside,
  inTime,
  linkTo,
  openForm,
  storeRequest,
} from '../requests/door.ts';
import { type RecipeOutcome, startRecipe } from './start-recipe.ts';

/** `/docs-agent run <name>`. A form asks for missing values. */
export async function run(deps: ListenerDeps, args: CommandArgs, name: string): Promise<void> {
  const { trigger_id: triggerId, response_url: responseUrl, user_id: userId, channel_id } = args.command;
  const keys = triggerId ? [`trigger:${deps.teamId}:${triggerId}`] : [];
  const asked = { userId, channelId: channel_id, triggerId, responseUrl: responseUrl || null, keys };
  const problem = await runNamed(deps, name, asked);
  await (problem === null ? args.ack() : answer(args, problem));
}

/** *Run*, in the list of recipes. */
export function runPressed(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const { trigger_id: triggerId, user, channel } = body;
    const keys = triggerId ? [`press:${deps.teamId}:${triggerId}`] : [];
    const asked = { userId: user.id, channelId: channel?.id ?? null, triggerId, responseUrl: null, keys };
    const message = await runNamed(deps, action.value ?? '', asked);
    await ack();
    if (message !== null) await answerBeside(deps, { body, respond }, message);
  };
}

interface AskedToRun extends Pick<Run, 'userId' | 'responseUrl' | 'keys'> {
  readonly channelId: string | null;
  readonly triggerId: string;
}

/** What to tell the person; null: the form or the card is the answer. */
async function runNamed(
  deps: ListenerDeps,
  name: string,
  { userId, channelId, triggerId, responseUrl, keys }: AskedToRun,
): Promise<SlackMessage | null> {
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
  const ran = await runRecipe(deps, {
    recipe,
    userId,
    responseUrl,
    keys,
    values: new Map(),
    from: 'command',
  });
  if (ran !== null && 'problem' in ran) return ran.problem;
  // In its own channel, the card is the answer.
  return ran === null || recipe.channelId === channelId ? null : runningView(recipe, ran.kind === 'drafted');
}

/** The form with the values: stored before it is acknowledged. */
export function recipeFormSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const form = decodeRecipeForm(view.private_metadata);
    const recipe = deps.recipesOf(deps.teamId).find(({ name }) => name === form?.recipe);
    const [firstField = ''] = Object.keys(view.state.values);
    // It has been removed from the settings.
    if (recipe === undefined) {
      const gone = await noSuchRecipe(deps, body.user.id, form?.recipe ?? '');
      return refuseAtField(ack, gone, firstField);
    }
    const values = new Map(
      placeholdersIn(recipe.request).map((name): [string, string] => {
        const id = formIds.value + name;
        return [name, view.state.values[id]?.[id]?.value ?? ''];
      }),
    );
    const keys = [`view:${deps.teamId}:${view.id}`];
    const responseUrl = form?.responseUrl ?? null;
    const ran = await runRecipe(deps, {
      recipe,
      userId: body.user.id,
      responseUrl,
      keys,
      values,
      from: 'form',
    });
    if (ran === null || 'kind' in ran) return ack();
    const field = ran.field === undefined ? firstField : formIds.value + ran.field;
    await refuseAtField(ack, ran.problem, field);
  };
}

/** The person chose it in the form for requests, which then asks for its values. */
export async function recipeChosen(
  deps: ListenerDeps,
  { ack, body, view }: SubmitArgs,
  { name, responseUrl }: { readonly name: string; readonly responseUrl: string | null },
): Promise<void> {
  const recipe = deps.recipesOf(deps.teamId).find((one) => one.name === name);
  if (recipe === undefined) {
    return refuseAtField(ack, await noSuchRecipe(deps, body.user.id, name), formIds.recipe);
  }
  if (placeholdersIn(recipe.request).length > 0) {
    return ack({ response_action: 'update', view: recipeForm(recipe, { responseUrl }) });
  }
  const ran = await runRecipe(deps, {
    recipe,
    userId: body.user.id,
    responseUrl,
    keys: [`view:${deps.teamId}:${view.id}`],
    values: new Map(),
    from: 'form',
  });
  await (ran === null || 'kind' in ran ? ack() : refuseAtField(ack, ran.problem, formIds.recipe));
}

/** Names those that the person may run. */
async function noSuchRecipe(deps: ListenerDeps, userId: string, name: string): Promise<SlackMessage> {
  return noSuchRecipeView(name, await recipesFor(deps, userId));
}

interface Run {
  readonly recipe: Recipe;
  readonly userId: string;
  readonly responseUrl: string | null;
  /** All names under which Slack may redeliver the request. */
  readonly keys: readonly string[];
  readonly values: RecipeValues;
  readonly from: 'command' | 'form';
}

/** `field`: the placeholder with the problem. */
type Ran =
  | Extract<RecipeOutcome, { kind: 'started' | 'drafted' }>
  | { readonly problem: SlackMessage; readonly field?: string };

/** Null: Slack redelivers the request. */
async function runRecipe(
  deps: ListenerDeps,
  { recipe, userId, responseUrl, keys, values, from }: Run,
): Promise<Ran | null> {
  const { store, teamId } = deps;
  const stored = await storeRequest(deps, {
    // Its jobs have their threads there, wherever it is run.
    admit: () => admissionProblem(deps, userId, recipe.channelId),
    write: () =>
      store.transaction((tx) => {
        // The admission has checked whether the channel is shared.
        const request = { teamId, recipe, userId, responseUrl, keys, values, text: '', isClosed: false };
        return startRecipe(tx, { ...request, origin: { kind: from } }, deps.newContext());
      }),
  });
  if ('problem' in stored) return { problem: stored.problem };
  const outcome = stored.result;
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
