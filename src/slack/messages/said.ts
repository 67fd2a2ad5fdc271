import { z } from 'zod';
import type { FileKind } from '../../jobs/requests/attachments.ts';
import { isBlank } from '../../jobs/requests/prompt.ts';
import { sanitize, unescapeMrkdwn } from '../protocol/slack-text.ts';
import { blockTexts, linkToken, listOf, newTexts, plain } from './block-text.ts';

/** The parts of a message that hold text. All of it is from outside. */
export interface Saying {
  readonly text?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
}

/**
 * All that a message says in words, wherever Slack has put it, as Slack would deliver it in `text`. What a person typed
 * is all in `text`, and again in the blocks; an app may say something else in each.
 */
export function saidBy({ text, bot_id: botId, blocks, attachments }: Saying): string {
  const own = sanitize(text ?? '');
  const inBlocks = botId != null || isBlank(own) ? newTexts(own, blockTexts(blocks)).join('\n') : '';
  const said = joined([own, sanitize(inBlocks)]);
  const parts = slackAttachmentsOf(attachments, said).map((one) => sanitize(slackAttachmentText(one, said)));
  return joined([said, ...parts]);
}

function joined(texts: readonly string[]): string {
  const [first = ''] = texts;
  const more = texts.filter((text) => !isBlank(text));
  return more.length === 0 ? first : more.join('\n\n');
}

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
export type SlackAttachment = z.infer<typeof attachment>;

/**
 * What a person or an app says by attachments. The preview of a link says nothing: Slack or the link's app made it.
 * @param said the message's own text
 */
export function slackAttachmentsOf(given: unknown, said: string): SlackAttachment[] {
  const all = Array.isArray(given) ? given.slice(0, ATTACHMENTS_MAX) : [];
  const known = all.flatMap((one) => attachment.safeParse(one).data ?? []);
  return known.filter((one) => !isPreview(one, said));
}

function isPreview(
  { is_share, original_url, app_unfurl_url, from_url }: SlackAttachment,
  said: string,
): boolean {
  if (is_share) return false;
  return (
    original_url !== '' ||
    app_unfurl_url !== '' ||
    (from_url !== '' && unescapeMrkdwn(said).includes(from_url))
  );
}

/** Its words, as Slack would deliver them in a message's `text`; empty if it has none, or `said` has them. */
function slackAttachmentText(one: SlackAttachment, said: string): string {
  const words = wordsIn(one, said);
  return words === '' || !one.is_share ? cut(words) : quoted(one, cut(words));
}

/** The kinds of its content, if it has no words. */
export function wordless(one: SlackAttachment): FileKind[] {
  if (wordsIn(one, '') !== '' || listOf(one.files).length > 0) return [];
  if (one.is_share) return ['forwarded'];
  return one.image_url === '' ? [] : ['image'];
}

/** The address is last: the first line is a title, or all that a preview has room for. */
function quoted({ author_name, author_id, from_url }: SlackAttachment, words: string): string {
  const author = plain(author_name).replace(/\s+/g, ' ') || (author_id === '' ? '' : `<@${author_id}>`);
  const by = author === '' ? '' : ` from ${author}`;
  const from = from_url === '' ? '' : `\n(${linkToken(from_url, '')})`;
  return `Forwarded message${by}:\n${words}${from}`;
}

function wordsIn(one: SlackAttachment, said: string): string {
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
