import { sendAtMs } from './batch.ts';
import type { JobState, Policy } from './decision.ts';

/** With less time left, the replies are gone before a person has found the button. */
const WORTH_A_BUTTON_MS = 2_000;

/** What of a job's follow-ups has no outcome yet. */
export interface Queue {
  /** How many wait or are under way. */
  readonly waiting: number;
  /** Until when they wait, if that is known. */
  readonly untilMs: number | null;
  /** The message call that *Send now* would make, by its number; null if there is nothing to hasten. */
  readonly sendNow: number | null;
}

export const nobodyWaits: Queue = { waiting: 0, untilMs: null, sendNow: null };

export function queueOf({ job, followUps }: JobState, policy: Policy, nowMs: number): Queue {
  const waiting = followUps.filter(({ state }) => state === 'waiting');
  const isSending = followUps.some(({ state }) => state === 'sending');
  const count = waiting.length + followUps.filter(({ state }) => state === 'sending').length;
  if (waiting.length === 0) return { ...nobodyWaits, waiting: count };
  if (job.sendNotBeforeMs !== null && job.sendNotBeforeMs > nowMs) {
    return { waiting: count, untilMs: job.sendNotBeforeMs, sendNow: null };
  }
  const next = job.messages + 1;
  if (job.agentJob === null || isSending || job.hurriedMessage === next) {
    return { ...nobodyWaits, waiting: count };
  }
  const untilMs = sendAtMs(waiting, policy.followUpWindowMs);
  if (untilMs <= nowMs) return { ...nobodyWaits, waiting: count };
  return { waiting: count, untilMs, sendNow: untilMs - nowMs >= WORTH_A_BUTTON_MS ? next : null };
}
