import type { Feature } from '../feature.ts';
import { hookRoutes, webhookSecrets } from './hooks.ts';
import { recipeContradictions, recipeSettings, recipesIn } from './recipe.ts';
import { recipeListeners, startScheduled } from './start.ts';

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
  listeners: () => recipeListeners,
};
