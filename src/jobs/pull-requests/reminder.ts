import type { SeenPullRequest } from './pull-request.ts';

/**
 * When a reminder of the pull request is due, or null: the first one when nothing has happened to it for `afterMs`, by its
 * code host's clock; others only when somebody asked for them.
 */
export function reminderDueAtMs(
  { facts: { state, updatedAtMs }, reminders, remindAfterMs }: SeenPullRequest,
  afterMs: number,
): number | null {
  if (state !== 'open' || afterMs === 0 || remindAfterMs === null) return null;
  if (reminders > 0) return remindAfterMs ?? null;
  return updatedAtMs === undefined ? null : Math.max(updatedAtMs + afterMs, remindAfterMs ?? 0);
}
