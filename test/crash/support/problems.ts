import { localApp } from '../../../demo/local-slack/workspace.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import { notices, type Outside } from './outside.ts';

/** What must have happened in the end, whatever failed meanwhile, besides what always holds. */
export interface Expected {
  readonly threads: readonly ExpectedThread[];
  /** Words of answers in private. No others are given, but for these hints, which may be lost. */
  readonly told: readonly string[];
  readonly hints: readonly string[];
  /** Words of posts that belong to no job. */
  readonly posted: readonly string[];
  /** A word of each draft, oldest first. Absent: those in the threads are among their posts. */
  readonly drafts?: readonly string[];
}

export interface ExpectedThread {
  /** Different from all other prompts, and not part of another. */
  readonly prompt: string;
  /** The message in whose thread the card is; null: the card begins the thread. */
  readonly rootTs: string | null;
  /** A word of each announcement, in their order. */
  readonly posts: readonly string[];
  /** No two are alike. */
  readonly replies: readonly string[];
  /** A word of the card. */
  readonly end: string;
}

/** What people were not told as they had to be, in words. */
export async function problemsOf(expected: Expected, { slack, places }: Outside): Promise<string[]> {
  const messages = (await Promise.all(places.map((place) => slack.messages(place)))).flat();
  const own = messages.filter(({ user }) => user === localApp.botUserId);
  const posts = own.filter((message) => !isPrivate(message));
  const { threads, told, drafts, posted } = expected;
  const roots = threads.map(({ rootTs }) => rootTs);
  const made = posts.filter(
    ({ text, thread_ts: root = null }) =>
      text.includes('📝 *Draft*') && (root === null || !roots.includes(root)),
  );
  return [
    ...threads.flatMap((thread) => threadProblems(thread, posts)),
    ...wordingProblems('the drafts say', made, drafts ?? []),
    ...posted.flatMap((words) => {
      const times = posts.filter(({ text }) => text.includes(words)).length;
      return times === 1 ? [] : [`posted ${times} times: ${words}`];
    }),
    // It can neither be looked for nor taken back: it may come twice.
    ...told.flatMap((words) => {
      const times = own.filter((one) => isPrivate(one) && one.text.includes(words)).length;
      return times === 1 || times === 2 ? [] : [`told ${times} times: ${words}`];
    }),
    ...surprises(expected, own),
  ];
}

function isPrivate({ subtype }: SlackMessage): boolean {
  return subtype === 'ephemeral';
}

const AT_WORK = 'On it';

/** Below a question, the thread says that the agent works; right below a card in a thread, it does not. */
function threadProblems(
  { prompt, rootTs, posts, end }: ExpectedThread,
  all: readonly SlackMessage[],
): string[] {
  const cards = all.filter(
    ({ channel, thread_ts: root = null, text }) =>
      channel !== notices && root === rootTs && text.includes(`*${prompt}`),
  );
  const [card] = cards;
  if (card === undefined || cards.length > 1) return [`${cards.length} cards for "${prompt}"`];
  const below = all.filter(({ ts, thread_ts }) => thread_ts === (rootTs ?? card.ts) && ts !== card.ts);
  const isExpected = posts.includes(AT_WORK);
  const isBelowQuestion = (message: SlackMessage) => message.text.includes(AT_WORK) && message !== below[0];
  const told = below.filter((message) => !isQuestion(message) && (isExpected || !isBelowQuestion(message)));
  return [
    ...(card.text.includes(end) ? [] : [`the card says ${card.text}, not ${end}`]),
    ...wordingProblems('the thread says', told, posts),
  ];
}

/** Or a decided one. */
function isQuestion({ text }: SlackMessage): boolean {
  return text.includes("Couldn't confirm");
}

function wordingProblems(
  what: string,
  messages: readonly SlackMessage[],
  expected: readonly string[],
): string[] {
  const told = messages.map(({ text }) => text);
  const isTold =
    told.length === expected.length && expected.every((words, index) => told[index]?.includes(words));
  return isTold ? [] : [`${what} ${JSON.stringify(told)}, not ${JSON.stringify(expected)}`];
}

/** Each question is answered with two presses. */
const TOO_LATE = 'Already done';
/** On a busy machine, the stand-in Slack is too slow; they press again. */
const TRY_AGAIN = "Slack didn't answer. Please try again";

/** Private answers that nothing was the reason for. */
function surprises({ told, hints }: Expected, messages: readonly SlackMessage[]): string[] {
  const expected = [TOO_LATE, TRY_AGAIN, ...told, ...hints];
  return messages
    .filter((message) => isPrivate(message) && !expected.some((words) => message.text.includes(words)))
    .map(({ text }) => `told without need: ${text}`);
}
