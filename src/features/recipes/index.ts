import type { Feature } from '../feature.ts';
import { hookRoutes, webhookSecrets } from './hooks.ts';
import { recipeContradictions, recipeSettings, recipesIn } from './recipe.ts';
import { recipeListeners, startScheduled } from './start.ts';

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
      outside: 'nobody may run it, start its drafts or reply to it',
    })),
  run: (tools) => ({ tasks: { slack: { start_recipe: (task) => startScheduled(tools, task) } } }),
  routes: hookRoutes,
  listeners: () => recipeListeners,
};
