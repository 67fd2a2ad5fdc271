import type { Announcement } from '../../../jobs/announcement.ts';
import type { FileKind, SnippetProblem } from '../../../jobs/attached.ts';
import { unescapeMrkdwn } from '../../text/escape.ts';
import { message, paragraph, quotation, type SlackMessage } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';

const NAME_MAX = 100;

/** What came along with a message, and the agent API cannot take. */
export function filesNotSent(files: readonly FileKind[]): SlackMessage {
  const counted = (['image', 'video', 'sound', 'file'] as const).flatMap((kind) => {
    const count = files.filter((file) => file === kind).length;
    return count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`];
  });
  const verb = files.length === 1 ? 'was' : 'were';
  return message(paragraph(mrkdwn`📎 ${listed(counted)} ${verb} not sent: the agent takes text only.`));
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

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
