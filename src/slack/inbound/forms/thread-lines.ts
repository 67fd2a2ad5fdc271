import { attachmentsIn, attachmentsInWords } from '../../messages/attachments.ts';
import { saidIn } from '../../messages/thread-messages.ts';
import { displayText, escapeMrkdwn, readableText, unescapeMrkdwn } from '../../protocol/slack-text.ts';
import type { ThreadLine } from '../../views/forms/thread-preview.ts';
import type { ThreadMessage } from '../../workspace/web-api/answers.ts';

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
  const lines = messages.map((message) => {
    const said = saidIn(message);
    return `${escapeMrkdwn(authorOf(message, names))}:${NEEDS_OWN_LINE.test(said) ? '\n' : ' '}${said}`;
  });
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** A table, a list, code or a quotation means nothing in the middle of a line. */
const NEEDS_OWN_LINE = /^(?:\| |```|• |1\. |&gt; )/;

/** Names the message as it is now: an edit makes it another. It begins with the timestamp, then `|`. */
function versionOf({ ts, edited }: ThreadMessage): string {
  return `${ts}|${edited?.ts ?? ''}`;
}

function filesOf(message: ThreadMessage): string[] {
  const names = unescapeMrkdwn(attachmentsInWords(attachmentsIn(message)));
  return names === '' ? [] : [names];
}

/** Whoever wrote the message, by name. */
export function authorOf({ user, username }: ThreadMessage, names: ReadonlyMap<string, string>): string {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}
