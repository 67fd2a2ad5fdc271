import { unescaped } from '../../../../src/jobs/requests/command.ts';
import { agentProblems, ledgerProblems } from './calls.ts';
import type { Expected, ExpectedThread, Seen, SeenMessage } from './seen.ts';

/** Each question is answered with two presses. */
const TOO_LATE = 'Already done';
const LEADING_MENTION = /^<@\w+> /;

/** Everything that was lost or doubled, in words; none if the promise was kept. */
export function problemsOf(expected: Expected, seen: Seen): string[] {
  return [
    ...expected.threads.flatMap((thread) => threadProblems(thread, expected.noticeChannels, seen)),
    ...expected.refused.flatMap((prompt) => refusalProblems(prompt, seen)),
    ...expected.told.flatMap((words) => tellingProblems(words, seen)),
    ...(expected.posted ?? []).flatMap((words) => postedProblems(words, seen)),
    ...draftProblems(expected, seen),
    ...surprises(expected, seen),
    ...ledgerProblems(expected, seen),
  ];
}

function threadProblems(thread: ExpectedThread, noticeChannels: readonly string[], seen: Seen): string[] {
  const cards = cardsOf(thread, noticeChannels, seen);
  const [card] = cards;
  if (card === undefined || cards.length > 1) return [`${cards.length} cards for "${thread.prompt}"`];
  return [
    ...(card.text.includes(thread.end)
      ? []
      : [`the card says ${quoted(card.text)}, not ${quoted(thread.end)}`]),
    ...postProblems(thread, card, seen),
    ...noticeProblems(thread, noticeChannels, seen),
    ...replyProblems(thread, card, seen),
    ...agentProblems(thread, seen),
  ];
}

function cardsOf(
  { prompt, rootTs }: ExpectedThread,
  noticeChannels: readonly string[],
  { messages }: Seen,
): SeenMessage[] {
  return messages.filter(
    ({ isBot, isPrivate, threadTs, text, channel }) =>
      isBot &&
      !isPrivate &&
      threadTs === rootTs &&
      text.includes(`*${prompt}`) &&
      !noticeChannels.includes(channel),
  );
}

function rootOf({ ts, threadTs }: SeenMessage): string {
  return threadTs ?? ts;
}

const AT_WORK = 'On it';

/** Questions are the ledger's affair. Below one, the thread says that the agent works; right below a card, it does not. */
function postProblems({ posts }: ExpectedThread, card: SeenMessage, { messages }: Seen): string[] {
  const below = messages.filter(
    ({ isBot, isPrivate, ts, threadTs }) =>
      isBot && !isPrivate && threadTs === rootOf(card) && ts !== card.ts,
  );
  const isExpected = posts.includes(AT_WORK);
  const isBelowQuestion = (message: SeenMessage) => message.text.includes(AT_WORK) && message !== below[0];
  const inThread = below.filter(
    (message) => message.offers.length === 0 && (isExpected || !isBelowQuestion(message)),
  );
  return wordingProblems('the thread says', inThread, posts);
}

function draftProblems({ drafts = [], threads }: Expected, { messages }: Seen): string[] {
  const roots = threads.map(({ rootTs }) => rootTs);
  const made = messages.filter(
    ({ isBot, text, threadTs }) =>
      isBot && text.includes('📝 *Draft*') && (threadTs === null || !roots.includes(threadTs)),
  );
  return wordingProblems('the drafts say', made, drafts);
}

function wordingProblems(
  what: string,
  messages: readonly SeenMessage[],
  expected: readonly string[],
): string[] {
  const told = messages.map(({ text }) => text);
  const isTold =
    told.length === expected.length && expected.every((words, index) => told[index]?.includes(words));
  return isTold ? [] : [`${what} ${quoted(told)}, not ${quoted(expected)}`];
}

function noticeProblems(
  { links }: ExpectedThread,
  channels: readonly string[],
  { messages }: Seen,
): string[] {
  return channels.flatMap((channel) =>
    links.flatMap((link) => {
      const count = messages.filter(
        (message) => message.channel === channel && message.text.includes(link),
      ).length;
      return count === 1 ? [] : [`${count} notices of ${link} in ${channel}`];
    }),
  );
}

function replyProblems(
  { replies }: ExpectedThread,
  card: SeenMessage,
  { messages, followUps }: Seen,
): string[] {
  return replies.flatMap((text) => {
    const states = followUps.flatMap((followUp) => (followUp.text === text ? [followUp.state] : []));
    const written = messages.find((message) => message.threadTs === rootOf(card) && says(message, text));
    const receipts = written?.reactions ?? [];
    return [
      ...(states.join() === 'sent' ? [] : [`the reply ${quoted(text)} is stored as ${quoted(states)}`]),
      ...(receipts.join() === 'white_check_mark'
        ? []
        : [`the reply ${quoted(text)} has the receipts ${quoted(receipts)}`]),
    ];
  });
}

/** A private answer can neither be looked for nor taken back: it may come twice. */
function refusalProblems(prompt: string, { messages, agentJobs }: Seen): string[] {
  const told = messages.filter(({ isBot, text }) => isBot && text.includes(prompt));
  const isTold = told.length > 0 && told.every(({ isPrivate }) => isPrivate);
  return [
    ...(isTold && told.length <= 2 ? [] : [`${told.length} messages say that ${quoted(prompt)} was refused`]),
    ...(agentJobs.some(([first]) => first === prompt) ? [`${quoted(prompt)} was started all the same`] : []),
  ];
}

/** Private answers that nothing was the reason for. */
function surprises({ told, hints, refused }: Expected, { messages }: Seen): string[] {
  const expected = [TOO_LATE, ...told, ...hints, ...refused];
  return messages.flatMap(({ isBot, isPrivate, text }) =>
    isBot && isPrivate && !expected.some((words) => text.includes(words))
      ? [`told without need: ${text}`]
      : [],
  );
}

/** What was written in a form is shown by the program. */
function says(message: SeenMessage, text: string): boolean {
  return message.isBot
    ? unescaped(message.text).endsWith(`“${text}”`)
    : message.text.replace(LEADING_MENTION, '') === text;
}

/** It can neither be looked for nor taken back: it may come twice. */
function tellingProblems(words: string, { messages }: Seen): string[] {
  const times = messages.filter(
    ({ isBot, isPrivate, text }) => isBot && isPrivate && text.includes(words),
  ).length;
  return times === 1 || times === 2 ? [] : [`told ${times} times: ${words}`];
}

function postedProblems(words: string, { messages }: Seen): string[] {
  const times = messages.filter(({ isBot, text }) => isBot && text.includes(words)).length;
  return times === 1 ? [] : [`posted ${times} times: ${words}`];
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}
