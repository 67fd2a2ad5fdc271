import type { Stage } from '../job.ts';
import type { Draft } from './draft.ts';

type Working = Extract<Stage, { kind: 'working' }>;

/** Twice the longest interval between two looks: a look that comes later was held up. */
const HELD_UP = 2;

/**
 * Notes how long a turn took that was just seen to be over: until half-way between the last two looks, as the end lies
 * somewhere between them. Nothing is noted if nobody knows when it began, if the end may be that of the turn before,
 * or if the last look was held up.
 */
export function noteTurnLength(draft: Draft, turn: Working, lastLookAtMs: number | null): void {
  const { nowMs, policy } = draft.context;
  const isSeenGoing = turn.settle === null || turn.settle.seenActive;
  if (turn.isOlder === true || !isSeenGoing) return;
  const fromMs = Math.max(turn.turnStartedAtMs, lastLookAtMs ?? 0);
  const gapMs = nowMs - fromMs;
  if (gapMs < 0 || gapMs > HELD_UP * policy.pollMaxIntervalMs) return;
  draft.noteTurnLength(Math.round(nowMs - gapMs / 2 - turn.turnStartedAtMs));
}
