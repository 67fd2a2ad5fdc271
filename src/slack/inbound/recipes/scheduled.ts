import type { EngineTools } from '../../../engine/tools.ts';
import type { Recipe } from '../../../jobs/recipes/recipe.ts';
import { lastMoment, nextMoment } from '../../../jobs/schedule/moments.ts';
import { recipeOfSubject, recipeSubject } from '../../../store/queries/recipes.ts';
import type { ClaimedTask, Store, Transaction } from '../../../store/store.ts';
import { type RecipeOutcome, startRecipe } from './start-recipe.ts';

/**
 * However far its next moment is: another replica may have newer settings, with another schedule, or with a recipe that is
 * not in these.
 */
const LOOKS_AGAIN_MS = 3_600_000;

/** The recipes that the settings have for a workspace. */
export type RecipesOf = (teamId: string) => readonly Recipe[];

export interface RecipeTools extends EngineTools {
  readonly recipesOf: RecipesOf;
}

/** At the start: plans the next moment of every schedule; one that has passed meanwhile is caught up with at once. */
export async function planRecipes(
  { store, recipesOf }: { readonly store: Store; readonly recipesOf: RecipesOf },
  teamIds: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const teamId of teamIds) {
    for (const { name, schedule } of recipesOf(teamId)) {
      if (schedule === null) continue;
      await store.transaction(async (tx) => {
        const key = { teamId, name };
        const servedUntilMs = await tx.recipes.follow(key, schedule, nowMs);
        const runAtMs = nextMoment(schedule, servedUntilMs);
        if (runAtMs === null) return;
        const subject = recipeSubject(key);
        await tx.tasks.schedule({ kind: 'start_recipe', subject, runAtMs, ifScheduled: 'replace' });
      });
    }
  }
}

/** A moment of a schedule has come: of several that have passed, the last one counts, once for all replicas. */
export async function startScheduled(tools: RecipeTools, task: ClaimedTask): Promise<void> {
  const { teamId, name } = recipeOfSubject(task.subject);
  const recipe = tools.recipesOf(teamId).find((one) => one.name === name);
  const outcome = await tools.store.transaction((tx) => serve(tx, tools, task, teamId, recipe));
  if (outcome === null) return;
  const facts = { team_id: teamId, recipe: name, source: 'schedule', outcome: outcome.kind };
  if (outcome.kind === 'refused') {
    tools.log.error('recipe_due', { ...facts, reason: outcome.problem.kind });
  } else {
    const job = 'job' in outcome ? { job_id: outcome.job.id } : {};
    tools.log.info('recipe_due', { ...facts, ...job });
  }
}

async function serve(
  tx: Transaction,
  tools: RecipeTools,
  { lease }: ClaimedTask,
  teamId: string,
  recipe: Recipe | undefined,
): Promise<RecipeOutcome | null> {
  const schedule = recipe?.schedule ?? null;
  const context = tools.newContext();
  const { nowMs } = context;
  if (recipe === undefined || schedule === null) {
    await tx.tasks.repeat(lease, nowMs + LOOKS_AGAIN_MS);
    return null;
  }
  const key = { teamId, name: recipe.name };
  const momentMs = lastMoment(schedule, nowMs);
  const isDue = momentMs !== null && momentMs > ((await tx.recipes.get(key))?.servedUntilMs ?? nowMs);
  const origin = { kind: 'schedule' } as const;
  const request = {
    teamId,
    recipe,
    userId: null,
    origin,
    responseUrl: null,
    keys: [],
    values: new Map(),
    text: '',
  };
  const outcome = isDue ? await startRecipe(tx, request, context) : null;
  if (isDue) {
    const runs = await tx.recipes.lock(key, nowMs);
    await tx.recipes.put(key, { ...runs, servedUntilMs: momentMs });
  }
  const nextMs = nextMoment(schedule, nowMs) ?? Number.POSITIVE_INFINITY;
  await tx.tasks.repeat(lease, Math.min(nextMs, nowMs + LOOKS_AGAIN_MS));
  return outcome;
}
