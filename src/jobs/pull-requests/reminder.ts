import type { SeenPullRequest } from './pull-request.ts';

/**
 * When the thread is to be reminded of the pull request, or null: first when nothing has happened to it for so long,
 * then only as somebody asked. Movement is told by its code host's clock.
 */
export function reminderDueAtMs(
  { facts: { state, updatedAtMs }, reminders, remindAfterMs }: SeenPullRequest,
  afterMs: number,
): number | null {
  if (state !== 'open' || afterMs === 0 || remindAfterMs === null) return null;
  if (reminders > 0) return remindAfterMs ?? null;
  return updatedAtMs === undefined ? null : Math.max(updatedAtMs + afterMs, remindAfterMs ?? 0);
}
