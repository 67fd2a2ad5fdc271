import type { Recipe } from '../../../jobs/recipes/recipe.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from '../requests/in-time.ts';

/** A form waits for so long, and is complete without recipes. */
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
