import { readyOf, sendAtMs } from './batch.ts';
import type { JobState } from './decision.ts';
import type { FollowUp } from './follow-up.ts';
import type { Policy } from './policy.ts';

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
  /** The oldest that a person has to decide about, with those of the same call; null if there is none. */
  readonly undecided: { readonly state: 'not_sent' | 'unknown'; readonly callId: string } | null;
}

export const nobodyWaits: Queue = { waiting: 0, untilMs: null, sendNow: null, undecided: null };

export function queueOf(state: JobState, policy: Policy, nowMs: number): Queue {
  const undecided = undecidedOf(state.followUps);
  const waiting = state.followUps.filter(({ state: s }) => s === 'waiting' || s === 'sending').length;
  return { ...nobodyWaits, ...waitOf(state, policy, nowMs), waiting, undecided };
}

/** Until when those wait that are not under way yet, and whether they can be hastened. */
function waitOf({ job, followUps }: JobState, policy: Policy, nowMs: number): Partial<Queue> {
  const waiting = readyOf(followUps.filter(({ state }) => state === 'waiting'));
  if (waiting.length === 0) return {};
  if (job.sendNotBeforeMs !== null && job.sendNotBeforeMs > nowMs) return { untilMs: job.sendNotBeforeMs };
  const message = job.messages + 1;
  const isSending = followUps.some(({ state }) => state === 'sending');
  if (job.agentJob === null || isSending || job.hurriedMessage === message) return {};
  const untilMs = sendAtMs(waiting, policy.followUpWindowMs);
  if (untilMs <= nowMs) return {};
  return { untilMs, sendNow: untilMs - nowMs >= WORTH_A_BUTTON_MS ? message : null };
}

function undecidedOf(followUps: readonly FollowUp[]): Queue['undecided'] {
  for (const { state, callId } of followUps) {
    if ((state === 'not_sent' || state === 'unknown') && callId !== null) return { state, callId };
  }
  return null;
}
