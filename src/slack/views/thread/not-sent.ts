import type { Announcement } from '../../../jobs/announcement.ts';
import type { FileKind } from '../../../jobs/requests/attachments.ts';
import { unescapeMrkdwn } from '../../protocol/slack-text.ts';
import { message, paragraph, quotation, type SlackMessage } from '../parts/message.ts';
import { oneLine } from '../parts/untrusted.ts';
import { fileKinds, snippetProblems, threadTexts } from '../texts/thread/thread.ts';

const NAME_MAX = 100;

/** Attachments of a message that the agent cannot take. */
export function filesNotSent(files: readonly FileKind[]): SlackMessage {
  const counted = Object.entries(fileKinds).flatMap(([kind, [one, several]]) => {
    const count = files.filter((file) => file === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return message(paragraph(threadTexts.filesNotSent(counted.join(', '))));
}

export function snippetsNotSent(
  snippets: Extract<Announcement, { kind: 'snippets_not_sent' }>['snippets'],
): SlackMessage {
  const lines = snippets.map(
    ({ name, problem }) => `${oneLine(unescapeMrkdwn(name), NAME_MAX)} · ${snippetProblems[problem]}`,
  );
  return message(paragraph(threadTexts.snippetsNotSent), quotation(lines.join('\n')));
}
