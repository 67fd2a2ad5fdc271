import type { Announcement } from '../../../jobs/announcement.ts';
import type { FileKind, SnippetProblem } from '../../../jobs/attached.ts';
import { unescapeMrkdwn } from '../../protocol/escape.ts';
import { message, paragraph, quotation, type SlackMessage } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';

const NAME_MAX = 100;

const kinds: Readonly<Record<FileKind, readonly [one: string, several: string]>> = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  sound: ['sound', 'sounds'],
  file: ['file', 'files'],
  forwarded: ['forwarded message without text', 'forwarded messages without text'],
};

/** What came along with a message, and the agent cannot take. */
export function filesNotSent(files: readonly FileKind[]): SlackMessage {
  const counted = Object.entries(kinds).flatMap(([kind, [one, several]]) => {
    const count = files.filter((file) => file === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return message(paragraph(mrkdwn`📎 *Not sent:* ${counted.join(', ')}. The agent takes text only.`));
}

const reasons: Readonly<Record<SnippetProblem, string>> = {
  unreadable: 'Slack does not let me read it',
  too_long: 'it is too long for one message to the agent',
};

export function snippetsNotSent(
  snippets: Extract<Announcement, { kind: 'snippets_not_sent' }>['snippets'],
): SlackMessage {
  const lines = snippets.map(
    ({ name, problem }) => `${oneLine(unescapeMrkdwn(name), NAME_MAX)} · ${reasons[problem]}`,
  );
  return message(paragraph(mrkdwn`📎 *Not sent* with the message:`), quotation(lines.join('\n')));
}
