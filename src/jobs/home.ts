import type { Decision } from './decision.ts';

/** A home that was opened this long ago may still be looked at. */
const LOOKS_FOR_MS = 3_600_000;
/** A home is drawn again at most this often, however much happens. */
export const HOME_SPACING_MS = 3_000;

/** Whether the requester's home shows what the decision changes: what a card shows, or a call brings. */
export function changesHome({ calls, tasks }: Decision, nowMs: number): boolean {
  return calls.length > 0 || tasks.some(({ kind, runAtMs }) => kind === 'refresh_card' && runAtMs <= nowMs);
}

/** Whether somebody may still look at a home that was opened then. */
export function mayBeSeen(openedAtMs: number, nowMs: number): boolean {
  return openedAtMs > nowMs - LOOKS_FOR_MS;
}
