import { isBlank } from '../../../jobs/requests/prompt.ts';
import { attachmentsIn, attachmentsInWords } from '../../messages/attachments.ts';
import { type Saying, saidBy } from '../../messages/said.ts';
import {
  displayText,
  escapeMrkdwn,
  mentionedUserIds,
  readableText,
  unescapeMrkdwn,
} from '../../protocol/slack-text.ts';
import type { ThreadLine } from '../../views/forms/thread-preview.ts';
import type { ThreadMessage } from '../../workspace/web-api/answers.ts';

const LINES_MAX = 50;
/** What people, and other bots, say; the rest is noise such as joins. */
const SAID: ReadonlySet<string | undefined> = new Set([
  undefined,
  'bot_message',
  'file_share',
  'me_message',
  'thread_broadcast',
]);

/** The messages of a thread that can go along with the one that mentions the bot: the newest, oldest first. */
export function offeredMessages(
  messages: readonly ThreadMessage[],
  mentionTs: string,
  botUserId: string | undefined,
): { readonly offered: readonly ThreadMessage[]; readonly leftOut: number } {
  const said = messages.filter(
    (message) =>
      SAID.has(message.subtype) &&
      message.user !== botUserId &&
      message.ts !== mentionTs &&
      !isBlank(saidIn(message)),
  );
  return { offered: said.slice(-LINES_MAX), leftOut: Math.max(said.length - LINES_MAX, 0) };
}

/** The ids of the authors, then of the people whom the messages mention. */
export function peopleIn(messages: readonly ThreadMessage[]): string[] {
  const authors = messages.flatMap(({ user }) => user ?? []);
  return [...new Set([...authors, ...messages.flatMap((message) => mentionedUserIds(saidIn(message)))])];
}

/** As people read them. */
export function toLines(
  messages: readonly ThreadMessage[],
  names: ReadonlyMap<string, string>,
): ThreadLine[] {
  return messages.map((message) => ({
    id: versionOf(message),
    author: [authorOf(message, names), ...filesOf(message)].join(' · 📎 '),
    text: readableText(saidIn(message), names),
  }));
}

/** Goes to the agent after the prompt, as Slack would deliver it. */
export function threadContext(
  messages: readonly ThreadMessage[],
  names: ReadonlyMap<string, string>,
  permalink: string | null,
): string | undefined {
  if (messages.length === 0) return undefined;
  const place = permalink === null ? '' : ` ${escapeMrkdwn(permalink)}`;
  const lines = messages.map((message) => `${escapeMrkdwn(authorOf(message, names))}: ${saidIn(message)}`);
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** Names the message as it is now: an edit makes it another. It begins with the timestamp, then `|`. */
function versionOf({ ts, edited }: ThreadMessage): string {
  return `${ts}|${edited?.ts ?? ''}`;
}

/** The words of a message; or else what it brings along, in brackets. */
export function saidIn(message: Saying & { readonly files?: unknown }): string {
  const said = saidBy(message).trim();
  const names = attachmentsInWords(attachmentsIn(message));
  return isBlank(said) && names !== '' ? `[${names}]` : said;
}

function filesOf(message: ThreadMessage): string[] {
  const names = unescapeMrkdwn(attachmentsInWords(attachmentsIn(message)));
  return names === '' ? [] : [names];
}

function authorOf({ user, username }: ThreadMessage, names: ReadonlyMap<string, string>): string {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? user ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}
