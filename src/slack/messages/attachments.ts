import { z } from 'zod';
import type { Attachments, FileKind, Snippet } from '../../jobs/requests/attachments.ts';
import { displayText, escapeMrkdwn } from '../protocol/slack-text.ts';
import { listOf } from './block-text.ts';
import { type Saying, slackAttachmentsOf, wordless } from './said.ts';

/** Bounds what one message can make the program read. */
const MAX_SNIPPETS = 10;
const NAME_MAX = 100;
/** Of the files that are only counted; Slack lets a message have ten. */
const MAX_NAMED = 20;

/** A file as far as it matters here. Slack describes some by less: those of other workspaces, or deleted ones. */
const file = z.object({
  id: z.string().catch(''),
  file_access: z.string().catch(''),
  mode: z.string().catch(''),
  mimetype: z.string().catch(''),
  name: z.string().catch(''),
  title: z.string().catch(''),
  url_private_download: z.string().optional().catch(undefined),
  url_private: z.string().optional().catch(undefined),
});
type File = z.infer<typeof file>;

function fileOf(given: unknown): File {
  return file.safeParse(given).data ?? file.parse({});
}

/** The attachments of a message, and of those that are forwarded in it. */
export function attachmentsIn(message: Saying & { readonly files?: unknown }): Attachments {
  const forwarded = slackAttachmentsOf(message.attachments, message.text ?? '');
  return mergeAttachments([
    filesOf(message.files),
    ...forwarded.map(({ files: given }) => filesOf(given)),
    { snippets: [], others: forwarded.flatMap(wordless) },
  ]);
}

function filesOf(given: unknown): Attachments {
  const all = listOf(given)
    .map(fileOf)
    .filter(({ mode }) => mode !== 'tombstone');
  const snippets = all.filter((one) => isSnippet(one) || isUndescribed(one)).slice(0, MAX_SNIPPETS);
  return {
    snippets: snippets.map(snippetOf),
    others: all.filter((other) => !snippets.includes(other)).map(kindOf),
  };
}

/** The attachments of several messages, as if of one. */
export function mergeAttachments(all: readonly Attachments[]): Attachments {
  const snippets = all.flatMap((one) => one.snippets);
  const tooMany = snippets.slice(MAX_SNIPPETS).map(() => 'file' as const);
  return {
    snippets: snippets.slice(0, MAX_SNIPPETS),
    others: [...all.flatMap((one) => one.others), ...tooMany],
  };
}

/** As much of it as a form can carry; the rest is only named. */
export function fitAttachments({ snippets, others }: Attachments, maxLength: number): Attachments {
  let length = 0;
  const fitting = snippets.filter((snippet) => {
    length += JSON.stringify(snippet).length;
    return length <= maxLength;
  });
  const rest = snippets.slice(fitting.length).map(() => 'file' as const);
  return { snippets: fitting, others: [...others, ...rest].slice(0, MAX_NAMED) };
}

/** In a few words, as Slack would deliver them; empty if there is nothing. */
export function attachmentsInWords({ snippets, others }: Attachments): string {
  const kinds = others.map((kind) => (kind === 'forwarded' ? 'forwarded message' : kind));
  return [...snippets.map(({ name }) => name), ...kinds].join(', ');
}

/** What Slack says of a file when it is asked. */
export function describedFile(given: unknown): { readonly snippet: Snippet } | { readonly kind: FileKind } {
  const described = fileOf(given);
  return isSnippet(described) ? { snippet: snippetOf(described) } : { kind: kindOf(described) };
}

function snippetOf(snippet: File): Snippet {
  if (isUndescribed(snippet)) return { name: 'attached file', url: null, fileId: snippet.id };
  return { name: nameOf(snippet), url: snippet.url_private_download ?? snippet.url_private ?? null };
}

/** Of files in channels that are shared with other workspaces, Slack says only that they are there. */
function isUndescribed({ id, file_access }: File): boolean {
  return file_access === 'check_file_info' && id !== '';
}

function isSnippet({ mode, mimetype }: File): boolean {
  return mode === 'snippet' || mimetype.startsWith('text/');
}

/** On one line, and as Slack would deliver it in a message. */
function nameOf({ name, title }: File): string {
  const readable = displayText(name || title)
    .replace(/\s+/g, ' ')
    .slice(0, NAME_MAX);
  return escapeMrkdwn(readable.toWellFormed() || 'snippet');
}

function kindOf({ mimetype }: File): FileKind {
  const [kind] = mimetype.split('/', 1);
  if (kind === 'image' || kind === 'video') return kind;
  return kind === 'audio' ? 'sound' : 'file';
}
