import type { FollowUp } from './follow-up.ts';

/** A person who keeps writing puts the sending off, but not for longer than this many windows. */
const LONGEST_WAIT_IN_WINDOWS = 10;
const SEPARATOR = '\n\n';
const CORRECTION = 'Correction of an earlier message: ';

/** When the replies that wait go out: one window after the last of them, so that a burst is one message. */
export function sendAtMs(waiting: readonly FollowUp[], windowMs: number): number {
  const times = waiting.map((followUp) => followUp.receivedAtMs);
  return Math.min(Math.max(...times) + windowMs, Math.min(...times) + LONGEST_WAIT_IN_WINDOWS * windowMs);
}

export interface Batch {
  readonly followUps: readonly FollowUp[];
  readonly prompt: string;
}

/** The longest run of replies, from the oldest on, that fits one message; always at least the first. */
export function nextBatch(waiting: readonly FollowUp[], maxLength: number): Batch {
  const followUps: FollowUp[] = [];
  let length = 0;
  for (const followUp of waiting) {
    length += promptOf(followUp).length + (followUps.length > 0 ? SEPARATOR.length : 0);
    if (followUps.length > 0 && length > maxLength) break;
    followUps.push(followUp);
  }
  return { followUps, prompt: followUps.map(promptOf).join(SEPARATOR) };
}

/** What the agent is told by a follow-up. */
export function promptOf({ text, isCorrection }: FollowUp): string {
  return isCorrection ? CORRECTION + text : text;
}
