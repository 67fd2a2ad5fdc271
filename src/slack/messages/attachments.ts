import {
  type Attachments,
  type FileKind,
  noAttachments,
  type Snippet,
  type Unsent,
} from '../../jobs/requests/attachments.ts';
import { isBlank } from '../../jobs/requests/command.ts';
import { mediaIn } from './block-text.ts';
import { filesOf, readableName } from './files.ts';
import { fieldsOf, listOf } from './parts.ts';
import { type Saying, saidBy } from './said.ts';
import { unlessPlaceholder, withoutMention } from './same-text.ts';
import { filesIn, isMessage, slackAttachmentsOf, wordless } from './slack-attachment.ts';

/** Bounds what one message can make the program read. */
const MAX_SNIPPETS = 10;
/** Files that are only named; Slack allows ten per message. */
const MAX_NAMED = 20;

/** The attachments of a message and of the messages forwarded in it. */
export function attachmentsIn(message: Saying & { readonly files?: unknown }): Attachments {
  const hung = slackAttachmentsOf(message.attachments, message.text ?? '');
  const built = hung.map((one) => (isMessage(one) ? [] : one.blocks));
  const pictures = [message.blocks, ...built]
    .flatMap(mediaIn)
    .map(({ kind, name }) => ({ kind, name: readableName(name) }));
  const found = mergeAttachments([
    ...[message.files, ...hung.map(filesIn)].map(filesOf),
    { snippets: [], others: [...hung.flatMap(wordless), ...pictures] },
  ]);
  if (found.snippets.length + found.others.length > 0 || !isWordless(message)) return found;
  return { ...noAttachments, others: [{ kind: 'attachment', name: null }] };
}

/** Slack shows nothing of these, or the same as in `text`. */
const WITHOUT_CONTENT: ReadonlySet<unknown> = new Set(['rich_text', 'divider', 'context_actions', 'actions']);

/** Slack shows something of it that has no words. */
function isWordless(message: Saying): boolean {
  const { text = '', blocks } = message;
  const isShown = listOf(blocks).some((block) => !WITHOUT_CONTENT.has(fieldsOf(block).type));
  return (isShown || unlessPlaceholder(text) !== text) && isBlank(withoutMention(saidBy(message)));
}

export function mergeAttachments(all: readonly Attachments[]): Attachments {
  const snippets = all.flatMap((one) => one.snippets);
  return {
    snippets: snippets.slice(0, MAX_SNIPPETS),
    others: [...all.flatMap((one) => one.others), ...snippets.slice(MAX_SNIPPETS).map(asFile)],
  };
}

/** What a form can carry; the rest is only named. */
export function fitAttachments(attachments: Attachments, maxLength: number): Attachments {
  if (JSON.stringify(attachments).length <= maxLength) return attachments;
  const { snippets, others } = attachments;
  let length = 0;
  const fits = (one: unknown) => {
    length += JSON.stringify(one).length;
    return length <= maxLength;
  };
  // An e-mail's text is read again later.
  const fitting = snippets.map(({ text: _text, ...snippet }) => snippet).filter(fits);
  const named = [...others, ...snippets.slice(fitting.length).map(asFile)].slice(0, MAX_NAMED);
  return { snippets: fitting, others: named.map((one) => (fits(one) ? one : { ...one, name: null })) };
}

function asFile({ name }: Snippet): Unsent {
  return { kind: 'file', name };
}

/** In a few words, as Slack would deliver them; empty if there is nothing. */
export function attachmentsInWords({ snippets, others }: Attachments): string {
  const words = others.map(({ kind, name }) => (name === null ? (inWords[kind] ?? kind) : name));
  return [...snippets.map(({ name }) => name), ...words].join(', ');
}

const inWords: Partial<Record<FileKind, string>> = {
  forwarded: 'forwarded message',
  attachment: 'attachment without text',
};
