import type { DecisionBuilder } from './decision-builder.ts';

/** Told once in the channel: its administrators decide when the recipe goes on. */
export function recipePaused(builder: DecisionBuilder): void {
  const { id, recipe } = builder.job;
  if (recipe === undefined) return;
  const lane = { to: 'slack', name: `recipe:${id}` } as const;
  builder.addCall(`paused:${id}:${builder.context.nowMs}`, lane, { kind: 'tell_paused', recipe });
}

/** Told once for each job, however often its recipe is skipped because of it. */
export function recipeSkipped(builder: DecisionBuilder): void {
  const { id, recipe } = builder.job;
  if (recipe !== undefined) builder.announceOnce(`skipped:${id}`, { kind: 'recipe_skipped', recipe });
}
