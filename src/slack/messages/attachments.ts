import { z } from 'zod';
import type { FileKind } from '../../jobs/attached.ts';
import { unescapeMrkdwn } from '../protocol/escape.ts';
import { blockTexts, linkToken, listOf, plain } from './block-text.ts';
import { newTexts } from './new-texts.ts';

/** Bound what one message can bring along. */
const ATTACHMENTS_MAX = 20;
const ATTACHMENT_TEXT_MAX = 4_000;

const text = z.string().catch('');

/** What Slack has hung on a message: a forwarded message, what an app has to say, or the preview of a link. */
const attachment = z.object({
  is_share: z.boolean().catch(false),
  original_url: text,
  app_unfurl_url: text,
  from_url: text,
  author_name: text,
  author_id: text,
  pretext: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  fields: z.array(z.object({ title: text, value: text })).catch([]),
  blocks: z.unknown().optional(),
  message_blocks: z.array(z.object({ message: z.object({ blocks: z.unknown().optional() }) })).catch([]),
  image_url: text,
  files: z.unknown().optional(),
});
export type Attachment = z.infer<typeof attachment>;

/**
 * What a person or an app says by them. The preview of a link is neither: Slack, or the app of the link, made it of
 * something that nobody said there.
 * @param said the message's own text
 */
export function attachmentsOf(given: unknown, said: string): Attachment[] {
  const all = Array.isArray(given) ? given.slice(0, ATTACHMENTS_MAX) : [];
  const known = all.flatMap((one) => attachment.safeParse(one).data ?? []);
  return known.filter((one) => !isPreview(one, said));
}

function isPreview({ is_share, original_url, app_unfurl_url, from_url }: Attachment, said: string): boolean {
  if (is_share) return false;
  return (
    original_url !== '' ||
    app_unfurl_url !== '' ||
    (from_url !== '' && unescapeMrkdwn(said).includes(from_url))
  );
}

/** Its words, as Slack would deliver them in a message's `text`; empty if it has none, or `said` has them. */
export function attachmentText(one: Attachment, said: string): string {
  const words = wordsIn(one, said);
  return words === '' || !one.is_share ? cut(words) : quoted(one, cut(words));
}

/** What of it cannot be said in words, if it has none. */
export function wordless(one: Attachment): FileKind[] {
  if (wordsIn(one, '') !== '' || listOf(one.files).length > 0) return [];
  if (one.is_share) return ['forwarded'];
  return one.image_url === '' ? [] : ['image'];
}

/** The address comes last: the first line is a title, or all that a preview has room for. */
function quoted({ author_name, author_id, from_url }: Attachment, words: string): string {
  const author = plain(author_name).replace(/\s+/g, ' ') || (author_id === '' ? '' : `<@${author_id}>`);
  const by = author === '' ? '' : ` from ${author}`;
  const from = from_url === '' ? '' : `\n(${linkToken(from_url, '')})`;
  return `Forwarded message${by}:\n${words}${from}`;
}

function wordsIn(one: Attachment, said: string): string {
  const blocks = [one.blocks, ...one.message_blocks.map(({ message }) => message.blocks)].flatMap(blockTexts);
  const own = newTexts(said, [
    one.pretext,
    one.is_share ? '' : linkToken(one.title_link, plain(one.title)),
    one.text,
    ...one.fields.map(({ title, value }) => [title, value].filter((part) => part !== '').join(': ')),
  ]);
  const all = [...own, ...newTexts([said, ...own].join('\n'), blocks)];
  return (all.length > 0 ? all : newTexts(said, [one.fallback])).join('\n');
}

/** Not in the middle of a token of Slack's, or of an escaped character. */
function cut(words: string): string {
  if (words.length <= ATTACHMENT_TEXT_MAX) return words;
  const kept = words.slice(0, ATTACHMENT_TEXT_MAX - 1).replace(/(?:<[^<>]*|&[a-z]*)$/, '');
  return `${kept.toWellFormed()}…`;
}
