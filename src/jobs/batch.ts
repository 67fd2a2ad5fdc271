import type { FollowUp } from './follow-up.ts';
import { isBlank } from './prompt.ts';

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

/** Those that can go out now: all before the first whose snippets are still to be read. */
export function readyOf(waiting: readonly FollowUp[]): readonly FollowUp[] {
  const end = waiting.findIndex(({ snippets }) => snippets.length > 0);
  return end < 0 ? waiting : waiting.slice(0, end);
}

/** What the agent is told by a follow-up. */
export function promptOf({ text, inlined, isCorrection }: FollowUp): string {
  const own = isCorrection ? CORRECTION + text : text;
  return [own, inlined].filter((part) => !isBlank(part)).join(SEPARATOR);
}
