import type { Announcement } from '../../../jobs/announcement.ts';
import type { Unsent } from '../../../jobs/requests/attachments.ts';
import { unescapeMrkdwn } from '../../protocol/slack-text.ts';
import { message, paragraph, type SlackMessage, untrustedParagraph } from '../parts/message.ts';
import { oneLine } from '../parts/untrusted.ts';
import { fileKinds, snippetProblems, threadTexts } from '../texts/thread.ts';

const NAME_MAX = 100;
const NAMES_MAX = 10;

/** Attachments of a message that the agent cannot take. */
export function filesNotSent(files: readonly Unsent[]): SlackMessage {
  const counted = Object.entries(fileKinds).flatMap(([kind, [one, several]]) => {
    const alike = files.filter((file) => file.kind === kind);
    const names = alike.flatMap(({ name }) =>
      name === null ? [] : [oneLine(unescapeMrkdwn(name), NAME_MAX)],
    );
    const named =
      names.length === 0
        ? ''
        : ` (${names.slice(0, NAMES_MAX).join(', ')}${names.length > NAMES_MAX ? ', …' : ''})`;
    return alike.length === 0 ? [] : [`${alike.length} ${alike.length === 1 ? one : several}${named}`];
  });
  return message(paragraph(threadTexts.filesNotSent(counted.join(', '))));
}

export function snippetsNotSent(
  snippets: Extract<Announcement, { kind: 'snippets_not_sent' }>['snippets'],
): SlackMessage {
  const lines = snippets.map(
    ({ name, problem }) => `${oneLine(unescapeMrkdwn(name), NAME_MAX)} · ${snippetProblems[problem]}`,
  );
  return message(paragraph(threadTexts.snippetsNotSent), untrustedParagraph(lines.join('\n')));
}
