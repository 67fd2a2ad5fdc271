import type { Feature } from '../feature.ts';
import { hookRoutes, webhookSecrets } from './hooks.ts';
import { recipeContradictions, recipeSettings, recipesIn } from './recipe.ts';
import {
  recipeChosen,
  recipeFormSubmitted,
  recipesFor,
  resumeRecipe,
  runNamed,
  startScheduled,
} from './start.ts';
import { recipesView } from './view.ts';

const OUTSIDE = [
  'nobody may run it, start its drafts or reply to it: access.channels does not name its channel',
  'Add the channel to access.channels in the file of DOCS_AGENT_CONFIG, or choose another one for the recipe.',
] as const;

export const recipes: Feature = {
  settings: recipeSettings,
  contradictions: recipeContradictions,
  secrets: webhookSecrets,
  schedules: (settings) =>
    recipesIn(settings).flatMap(({ name, schedule }) =>
      schedule ? { kind: 'start_recipe', name, schedule } : [],
    ),
  channels: (settings) =>
    recipesIn(settings).map(({ name, channelId }) => ({
      check: 'recipe',
      name,
      channelId,
      outside: OUTSIDE,
    })),
  run: (tools) => ({ tasks: { slack: { start_recipe: (task) => startScheduled(tools, task) } } }),
  routes: hookRoutes,
  listeners: () => ({
    // Without recipes, `run` is a normal request.
    commands: ({ settingsOf, teamId }) =>
      recipesIn(settingsOf(teamId)).length === 0
        ? {}
        : { run: (deps, command, words) => runNamed(deps, command, words.kind === 'run' ? words.name : '') },
    answers: { recipes: async (deps, userId) => recipesView(await recipesFor(deps, userId)) },
    presses: {
      runRecipe: (deps, press) => runNamed(deps, { ...press, responseUrl: null }, press.value),
      resumeRecipe,
    },
    submissions: { recipe: recipeFormSubmitted },
    menu: {
      namesFor: async (deps, userId) => (await recipesFor(deps, userId)).map(({ name }) => name),
      choose: recipeChosen,
    },
  }),
};
