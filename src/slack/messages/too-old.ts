const DAY_MS = 86_400_000;
/**
 * A day less than requests are remembered (`work/tidy.ts`): what is older may have been taken in before, and nobody
 * would know.
 */
const TAKEN_IN_FOR_MS = 29 * DAY_MS;

/** Whether a message of this time, in Slack's seconds, comes too late to be taken in. */
export function isTooOld(seconds: number, nowMs: number): boolean {
  return seconds * 1000 < nowMs - TAKEN_IN_FOR_MS;
}
