import { repliesIn } from '../texts.ts';
import type { Attempt } from '../world/agent-front.ts';
import type { StoryEvidence } from './evidence.ts';
import { fatesOf } from './fates.ts';
import { ofKind } from './posts.ts';
import type { Range } from './waits.ts';

const HOUR_MS = 3_600_000;
/** Clocks of the program may be wrong, and a call that never arrived is only dated by its message. */
const UNSURE_MS = 120_000;

/**
 * When the story's calls to the agent API were made: those that arrived and were not refused, and those of which only
 * the thread tells, because they broke off before they arrived.
 */
export function callTimes(story: StoryEvidence): number[] {
  const { creates, messages, posts } = story;
  const unclear = ofKind(posts, 'message_unknown').filter(
    ({ text }) => !text.includes('confirmed it after all'),
  );
  const sent = made(messages);
  return [
    ...withUntold(made(creates), fatesOf(story).length, ofKind(posts, 'create_unknown')),
    ...withUntold(sent, sent.filter(isKnown(story)).length + unclear.length, unclear),
  ];
}

/** Refused ones are made again, as the same call. */
function made(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ answer }) => answer !== 'refused');
}

/** The program has its answer: it did not send these replies again, and shows that they arrived. */
function isKnown({ replies, receipts }: StoryEvidence) {
  return ({ answer, prompt }: Attempt, index: number, sent: readonly Attempt[]): boolean => {
    const numbers = repliesIn(prompt);
    const isSentAgain = sent
      .slice(index + 1)
      .some((later) => repliesIn(later.prompt).some((one) => numbers.includes(one)));
    const isShown = replies.some(
      ({ number, ts }) => numbers.includes(number) && receipts.get(ts)?.includes('white_check_mark'),
    );
    return answer === 'accepted' && !isSentAgain && isShown;
  };
}

function withUntold(
  arrived: readonly Attempt[],
  count: number,
  unclear: readonly { readonly ts: string }[],
): number[] {
  const untold = Math.max(count - arrived.length, 0);
  const dated = unclear.map(({ ts }) => Number(ts) * 1000);
  return [...arrived.map(({ atMs }) => atMs), ...dated.slice(dated.length - untold)];
}

/** The most calls of any hour. A run of less than an hour has them all in one. */
export function peaks(times: readonly number[]): Range {
  const most = (withinMs: number) =>
    Math.max(0, ...times.map((end) => times.filter((at) => at <= end && at > end - withinMs).length));
  return { from: most(HOUR_MS - UNSURE_MS), to: most(HOUR_MS + UNSURE_MS) };
}
