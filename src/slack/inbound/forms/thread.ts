import { attachmentsIn, attachmentsInWords } from '../../messages/attachments.ts';
import { saidIn } from '../../messages/thread-messages.ts';
import { displayText, escapeMrkdwn, readableText, unescapeMrkdwn } from '../../protocol/slack-text.ts';
import {
  changedMeanwhileView,
  editedMeanwhileView,
  type ThreadLine,
  threadNotReadView,
} from '../../views/forms/compose.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView } from '../../views/refusals.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps } from '../listener.ts';
import { inTime } from '../requests/door.ts';

/** To be shown to the person. */
export interface Problem {
  readonly problem: SlackMessage;
}

/** Messages as they are now, without deleted ones, and the names in them. */
export interface Along {
  readonly messages: readonly ThreadMessage[];
  readonly names: ReadonlyMap<string, string>;
}

/** What is read from a thread, if Slack answers in time. */
export async function readThread<T extends object>(
  deps: ListenerDeps,
  channelId: string,
  withinMs: number,
  reading: Promise<T>,
): Promise<T | Problem> {
  try {
    return await inTime<T | Problem>(deps, withinMs, reading, { problem: threadNotReadView(false) });
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return { problem: notOffered(deps, channelId, error) };
  }
}

export function notOffered({ log }: ListenerDeps, channelId: string, error: unknown): SlackMessage {
  log.warn('thread_not_offered', { channel_id: channelId, error });
  if (!(error instanceof SlackCallError)) return notReadView;
  return threadNotReadView(error.failure.code === TOO_MANY_MESSAGES);
}

export function tickedOf(
  messages: readonly ThreadMessage[],
  ticked: readonly string[],
): readonly ThreadMessage[] {
  const tickedTs = new Set(ticked.map(timeIn));
  return messages.filter(({ ts }) => tickedTs.has(ts));
}

/** A ticked message has been edited since the form was made. */
export function changedIn(lines: readonly ThreadLine[], ticked: readonly string[]): Problem | null {
  const changed = lines.find(({ id }) => !ticked.includes(id));
  return changed === undefined ? null : { problem: changedMeanwhileView(changed) };
}

/** A message was edited after the mention, whose author has not seen it so. */
export function editedSince({ messages, names }: Along, mentionTs: string): Problem | null {
  const edited = messages.find((message) => (message.edited?.ts ?? '') > mentionTs);
  return edited === undefined ? null : { problem: editedMeanwhileView(authorOf(edited, names)) };
}

/** As people read them. */
export function toLines({ messages, names }: Along): ThreadLine[] {
  return messages.map((message) => {
    const files = unescapeMrkdwn(attachmentsInWords(attachmentsIn(message)));
    return {
      id: versionId(message.ts, message.edited?.ts),
      author: authorOf(message, names) + (files === '' ? '' : ` · 📎 ${files}`),
      text: readableText(saidIn(message), names),
    };
  });
}

/** Identifies a version of the message, since edits change it. */
export function versionId(ts: string, editedTs: string | null | undefined): string {
  return `${ts}|${editedTs ?? ''}`;
}

export function timeIn(id: string): string {
  return id.split('|', 1)[0] ?? '';
}

/** Follows the prompt, in the form in which Slack would deliver it. Empty without messages. */
export function threadContext({ messages, names }: Along, permalink: string | null): string {
  if (messages.length === 0) return '';
  const place = permalink === null ? '' : ` ${escapeMrkdwn(permalink)}`;
  const lines = messages.map((message) => {
    const said = saidIn(message);
    return `${escapeMrkdwn(authorOf(message, names))}:${NEEDS_OWN_LINE.test(said) ? '\n' : ' '}${said}`;
  });
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** A table, list, code block or quotation must start on its own line. */
const NEEDS_OWN_LINE = /^(?:\| |```|• |1\. |&gt; )/;

export function authorOf({ user, username }: ThreadMessage, names: ReadonlyMap<string, string>): string {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}
