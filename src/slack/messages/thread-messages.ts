import { isBlank } from '../../jobs/requests/command.ts';
import { mentionedIds, stripLeadingMention } from '../protocol/slack-text.ts';
import { attachmentsIn, attachmentsInWords } from './attachments.ts';
import type { MessageEvent } from './message-event.ts';
import { type Saying, saidBy } from './said.ts';

const LINES_MAX = 50;
/** What people and other bots say; the rest is noise such as joins. */
const SAID: ReadonlySet<string | undefined> = new Set([
  undefined,
  'bot_message',
  'file_share',
  'me_message',
  'thread_broadcast',
]);

/** The messages of a thread that can go along with a request: the newest, oldest first. */
export function offeredMessages<Message extends MessageEvent>(
  messages: readonly Message[],
  aboutTs: string,
  botUserId: string | undefined,
): { readonly offered: readonly Message[]; readonly leftOut: number } {
  const said = messages.filter(
    (message) =>
      SAID.has(message.subtype) &&
      message.user !== botUserId &&
      message.ts !== aboutTs &&
      !isBlank(saidIn(message)),
  );
  return { offered: said.slice(-LINES_MAX), leftOut: Math.max(said.length - LINES_MAX, 0) };
}

/** The authors' ids, then all that the messages mention. */
export function peopleIn(messages: readonly MessageEvent[]): string[] {
  const authors = messages.flatMap(({ user }) => user ?? []);
  return [...new Set([...authors, ...messages.flatMap((message) => mentionedIds(saidIn(message)))])];
}

/**
 * A message's words, or else its attachments, in brackets. @param botUserId whose mention at the start is
 * left out
 */
export function saidIn(message: Saying & { readonly files?: unknown }, botUserId?: string): string {
  const said = stripLeadingMention(saidBy(message), botUserId).trim();
  const names = attachmentsInWords(attachmentsIn(message));
  return isBlank(said) && names !== '' ? `[${names}]` : said;
}
