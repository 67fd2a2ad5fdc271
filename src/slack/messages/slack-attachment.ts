import { z } from 'zod';
import type { FileKind, Unsent } from '../../jobs/requests/attachments.ts';
import { isBlank } from '../../jobs/requests/command.ts';
import { unescapeMrkdwn } from '../protocol/slack-text.ts';
import { blockTexts, joinParagraphs, mediaIn, type Paragraph } from './block-text.ts';
import { linkToken, listOf, plain } from './parts.ts';
import { hasLettersOf, isSaid, labelledAs, linesOf, newTexts, unlessPlaceholder } from './same-text.ts';

/** Bound what one message can bring along. Slack's messages are no longer than this. */
const ATTACHMENTS_MAX = 20;
const ATTACHMENT_TEXT_MAX = 40_000;
/** A forwarded message may hold another. */
const MAX_NESTED = 3;

const text = z.string().catch('');
const flag = z.boolean().catch(false);

/** What Slack attached to a message: another message, an app's words, or a link's preview. */
const attachment = z.object({
  is_share: flag,
  is_msg_unfurl: flag,
  channel_id: text,
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
  actions: z.unknown().optional(),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
  message_blocks: z
    .array(
      z.object({
        message: z
          .object({ blocks: z.unknown(), attachments: z.unknown(), files: z.unknown() })
          .partial()
          .catch({}),
      }),
    )
    .catch([]),
  image_url: text,
  files: z.unknown().optional(),
});
export type SlackAttachment = z.infer<typeof attachment>;

/**
 * What a person or app says in attachments. A page's preview says nothing: Slack or the link's app made it.
 * The words of a linked message go along.
 * @param said the message's own text
 */
export function slackAttachmentsOf(given: unknown, said: string): SlackAttachment[] {
  const all = Array.isArray(given) ? given.slice(0, ATTACHMENTS_MAX) : [];
  const known = all.flatMap((one) => attachment.safeParse(one).data ?? []);
  return known.filter((one) => !isPreview(one, said));
}

function isPreview(one: SlackAttachment, said: string): boolean {
  if (isMessage(one)) return false;
  const { original_url, app_unfurl_url, from_url } = one;
  if (original_url !== '' || app_unfurl_url !== '') return true;
  return from_url !== '' && unescapeMrkdwn(said).includes(from_url);
}

/** Forwarded, or linked to. Only those of messages name their channel. */
export function isMessage({ is_share, is_msg_unfurl, channel_id }: SlackAttachment): boolean {
  return is_share || is_msg_unfurl || channel_id !== '';
}

/** Its words, as Slack would deliver them in a message's `text`; empty if it has none, or `said` has them. */
export function slackAttachmentText(one: SlackAttachment, said: string, depth = MAX_NESTED): string {
  const words = cut(joinParagraphs(wordsIn(one, said, depth)));
  return words === '' || !isMessage(one) ? words : quoted(one, words);
}

/** What it is, if it has no words. */
export function wordless(one: SlackAttachment): Unsent[] {
  if (wordsIn(one, '', MAX_NESTED).length > 0 || filesIn(one).length > 0) return [];
  if (isMessage(one)) return one.is_share ? [unnamed('forwarded')] : [];
  if (one.image_url !== '') return [unnamed('image')];
  const isShown = one.fallback !== '' || listOf(one.blocks).length > 0;
  return isShown && mediaIn(one.blocks).length === 0 ? [unnamed('attachment')] : [];
}

function unnamed(kind: FileKind): Unsent {
  return { kind, name: null };
}

export function filesIn({ files, message_blocks }: SlackAttachment): unknown[] {
  const inMessages = message_blocks.flatMap(({ message }) => listOf(message.files));
  return listOf(files).length > 0 ? listOf(files) : inMessages;
}

/** The URL comes last: the first line is a title, or all that a preview has room for. */
function quoted({ is_share, author_name, author_id, from_url }: SlackAttachment, words: string): string {
  const author = plain(author_name).replace(/\s+/g, ' ') || (author_id === '' ? '' : `<@${author_id}>`);
  const by = author === '' ? '' : ` from ${author}`;
  // A line below a table would be one of its rows.
  const gap = /\|$/.test(words) ? '\n\n' : '\n';
  const from = from_url === '' ? '' : `${gap}(${linkToken(from_url, '')})`;
  return `${is_share ? 'Forwarded' : 'Linked'} message${by}:\n${words}${from}`;
}

function wordsIn(one: SlackAttachment, said: string, depth: number): Paragraph[] {
  const own = paragraphsOf([
    one.pretext,
    isMessage(one) ? '' : linkToken(one.title_link, plain(one.title)),
    one.text,
    ...one.fields.map(({ title, value }) => [title, value].filter((part) => part !== '').join(': ')),
  ]);
  const blocks = [one.blocks, ...one.message_blocks.map(({ message }) => message.blocks), one.actions];
  const inBlocks = blocks.flatMap(blockTexts);
  const inside = nestedIn(one, depth);
  const all = [...(isMessage(one) ? better(own, inBlocks) : both(own, inBlocks)), ...inside];
  if (!all.some(({ isStandIn }) => isStandIn !== true)) {
    return newTexts(said, paragraphsOf([isMessage(one) ? withoutAuthor(one.fallback) : one.fallback]));
  }
  // A forwarded message must be complete; an app says much twice.
  if (!isMessage(one)) return newTexts(said, all);
  return isSaid(joinParagraphs(all), linesOf(said)) ? [] : all;
}

function nestedIn({ attachments, message_blocks }: SlackAttachment, depth: number): Paragraph[] {
  if (depth <= 0) return [];
  return [attachments, ...message_blocks.map(({ message }) => message.attachments)]
    .flatMap((given) => slackAttachmentsOf(given, ''))
    .map((one) => ({ text: slackAttachmentText(one, '', depth - 1), isApart: true as const }))
    .filter((one) => one.text !== '');
}

function paragraphsOf(texts: readonly string[]): Paragraph[] {
  return texts.map((one) => ({ text: unlessPlaceholder(one).trim() })).filter((one) => !isBlank(one.text));
}

function both(own: readonly Paragraph[], inBlocks: readonly Paragraph[]): Paragraph[] {
  return [...own, ...newTexts(joinParagraphs(own), inBlocks)];
}

/**
 * Slack gives a message as text and again in blocks, which keep what a text may lose: lists, code, tables.
 */
function better(own: readonly Paragraph[], inBlocks: readonly Paragraph[]): Paragraph[] {
  const text = joinParagraphs(own);
  const words = inBlocks.filter(({ isStandIn }) => isStandIn !== true);
  const lines = linesOf(text);
  if (words.every((one) => isSaid(one.text, lines))) return both(own, inBlocks);
  if (!hasLettersOf(joinParagraphs(words), text)) return both(own, inBlocks);
  return inBlocks.map((one) => ({ ...one, text: labelledAs(one.text, text) }));
}

/** `[November 20th, 2026 9:12 AM] alice: The limit is 100` */
function withoutAuthor(fallback: string): string {
  return fallback.replace(/^\[[^\]]{1,60}\] [^:\n]{1,100}: ?/, '');
}

/** Not in the middle of one of Slack's tokens, or of an escaped character. */
function cut(words: string): string {
  if (words.length <= ATTACHMENT_TEXT_MAX) return words;
  const kept = words.slice(0, ATTACHMENT_TEXT_MAX - 1).replace(/(?:<[^<>]*|&[a-z]*)$/, '');
  return `${kept.toWellFormed()}…`;
}
