import { dueMoment, momentServed } from '../../../engine/schedules.ts';
import type { EngineTools } from '../../../engine/tools.ts';
import type { Recipe } from '../../../jobs/recipes/recipe.ts';
import { scheduleOfSubject } from '../../../store/queries/schedules.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import type { Workspaces } from '../../workspace/workspace.ts';
import { isClosedTo, startRecipe } from './start-recipe.ts';

export interface RecipeTools extends EngineTools {
  readonly workspaces: Workspaces;
  /** The recipes that the settings have for a workspace. */
  readonly recipesOf: (teamId: string) => readonly Recipe[];
}

const BY_ITSELF = {
  userId: null,
  origin: { kind: 'schedule' },
  responseUrl: null,
  keys: [],
  values: new Map(),
  text: '',
} as const;

/** A moment of a recipe's schedule has come. */
export async function startScheduled(tools: RecipeTools, task: ClaimedTask): Promise<void> {
  const { teamId, name } = scheduleOfSubject(task.subject);
  const recipe = tools.recipesOf(teamId).find((one) => one.name === name);
  const isClosed = recipe !== undefined && (await isClosedTo(tools, { teamId, recipe }));
  const outcome = await tools.store.transaction(async (tx) => {
    const context = tools.newContext();
    const moment = await dueMoment(tx, task, recipe?.schedule ?? null, context.nowMs);
    if (moment === null || recipe === undefined) return null;
    const started = await startRecipe(tx, { teamId, recipe, isClosed, ...BY_ITSELF }, context);
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
