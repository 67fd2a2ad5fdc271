import type { FileKind, UnsentFile } from '#jobs/requests/attachments.ts';
import { isBlank, unescaped } from '#jobs/requests/command.ts';
import { mentionedIds, readableText, sanitize, stripLeadingMention } from '../protocol/slack-text.ts';
import {
  blockTexts,
  type Fields,
  fieldsOf,
  joinParagraphs,
  linkToken,
  listOf,
  mediaIn,
  type Paragraph,
  plain,
  stringOf,
} from './blocks.ts';

/** Untrusted. */
export type MessageContent = Readonly<{
  text?: string;
  bot_id?: string;
  blocks?: unknown;
  attachments?: unknown;
  files?: unknown;
}>;

/**
 * As Slack would deliver it in `text`. A person's words are in `text` and again in the blocks, except tables
 * and the like; an app's two versions may differ.
 */
export function textOf({ text, bot_id: botId, blocks, attachments }: MessageContent): string {
  const own = unlessPlaceholder(sanitize(text ?? ''));
  const isTyped = botId == null && !isBlank(own);
  const built = listOf(blocks).filter((block) => !isTyped || fieldsOf(block).type !== 'rich_text');
  const inBlocks = newTexts(`${own}\n${stripLeadingMention(own, null)}`, blockTexts(built));
  const said = joined([own, hasWords(inBlocks) ? sanitize(joinParagraphs(inBlocks)) : '']);
  const parts = slackAttachmentsOf(attachments, said).map((one) => sanitize(slackAttachmentText(one, said)));
  return joined([said, ...parts]);
}

function joined(texts: readonly string[]) {
  return texts.filter((text) => !isBlank(text)).join('\n\n') || (texts[0] ?? '');
}

function hasWords(paragraphs: readonly Paragraph[]) {
  return paragraphs.some(({ isStandIn }) => isStandIn !== true);
}

/** Slack's texts for messages without words. */
const PLACEHOLDERS = new Set([
  'no preview available',
  'this message contains interactive elements',
  "this content can't be displayed",
  'this content cannot be displayed',
  "this message can't be displayed",
  'this message was unable to be displayed',
]);
const LONGEST_PLACEHOLDER = 60;

/** Keeps a leading mention. */
export function unlessPlaceholder(text: string): string {
  const rest = stripLeadingMention(text, null).trim();
  if (rest.length > LONGEST_PLACEHOLDER) return text;
  const words = rest.replaceAll('’', "'").toLowerCase();
  if (!PLACEHOLDERS.has(words.replace(/^\[|(?<![.\]])[.\]]+$/g, ''))) return text;
  return text.slice(0, text.lastIndexOf(rest)).trim();
}

function newTexts(said: string, paragraphs: readonly Paragraph[]): Paragraph[] {
  const lines = linesOf(said);
  return paragraphs
    .map((paragraph) => ({ ...paragraph, text: unlessPlaceholder(paragraph.text.trimEnd()) }))
    .filter(({ text }) => !isBlank(text) && !isSaid(text, lines));
}

function isSaid(text: string, lines: ReadonlySet<string>) {
  return linesOf(text).isSubsetOf(lines);
}

/** Ignores differences between Slack's two versions of a message. */
function linesOf(text: string): ReadonlySet<string> {
  const words = text.replace(FENCE, '\n').replace(LABELLED, '<$1>');
  const ids = new Map(mentionedIds(words).map((id) => [id, id]));
  return new Set(readableText(words, ids).split('\n').map(normalLine).filter(Boolean));
}

/** A mention with a label; Slack's blocks have none. */
const LABELLED = /<(@[A-Z0-9]+|#[A-Z0-9]+|!subteam\^[A-Z0-9]+)\|([^<>]*)>/g;
const FENCE = /```(?:[\w+#.-]{1,30}\n)?/g;
const BOLD = /(?<![\p{L}\p{N}*])\*(?=\S)([^*]*[^*\s])\*(?![\p{L}\p{N}*])/gu;
const ITALIC = /(?<![\p{L}\p{N}_])_(?=\S)([^_]*[^_\s])_(?![\p{L}\p{N}_])/gu;
/** Slack's text has `a.` and `i.` on deeper levels, its blocks numbers. */
const DEEPER_NUMBER = /^(?: {4}){1,8}(?:\d{1,6}|[a-z]{1,8})\. /;
const LIST_NUMBER = /^(?:[ \t]*\d+|[ \t]{4,32}[a-z]{1,8})\. /gm;

function normalLine(line: string) {
  return line
    .replace(DEEPER_NUMBER, '    1. ')
    .trim()
    .replace(/^[◦▪•]\ufe0e? /u, '• ')
    .replace(BOLD, '$1')
    .replace(ITALIC, '$1')
    .replace(/\s+/g, ' ');
}

function labelledAs(text: string, other: string) {
  const labelled = new Map([...other.matchAll(LABELLED)].map(([token, target]) => [`<${target}>`, token]));
  return text.replace(/<[@#!][^<>|]*>/g, (token) => labelled.get(token) ?? token);
}

/** Ignores lists and emphasis. */
function lettersOf(text: string) {
  const words = unescaped(text.replace(LABELLED, '<$1>')).replace(LIST_NUMBER, ' ');
  return ` ${words.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/** Bounds per message. Slack's messages are no longer. */
const ATTACHMENTS_MAX = 20;
const ATTACHMENT_TEXT_MAX = 40_000;
const MAX_NESTED = 3;

/** Excludes page previews, which Slack or the link's app made. @param said the message's own text */
export function slackAttachmentsOf(given: unknown, said: string): Fields[] {
  return listOf(given)
    .slice(0, ATTACHMENTS_MAX)
    .map(fieldsOf)
    .filter((one) => !isPreview(one, said));
}

function isPreview(one: Fields, said: string) {
  if (isMessage(one)) return false;
  if (stringOf(one.original_url) !== '' || stringOf(one.app_unfurl_url) !== '') return true;
  const address = stringOf(one.from_url);
  return address !== '' && unescaped(said).includes(address);
}

/** Forwarded or linked. Other attachments have no channel. */
export function isMessage({ is_share, is_msg_unfurl, channel_id }: Fields): boolean {
  return is_share === true || is_msg_unfurl === true || stringOf(channel_id) !== '';
}

function messagesIn({ message_blocks: messages }: Fields) {
  return listOf(messages).map((one) => fieldsOf(fieldsOf(one).message));
}

/** Empty: no words that `said` lacks. */
function slackAttachmentText(one: Fields, said: string, depth = MAX_NESTED) {
  const words = cut(joinParagraphs(wordsIn(one, said, depth)));
  return words === '' || !isMessage(one) ? words : quoted(one, words);
}

export function wordless(one: Fields): UnsentFile[] {
  const unnamed = (kind: FileKind) => [{ kind, name: null }];
  if (wordsIn(one, '', MAX_NESTED).length > 0 || filesIn(one).length > 0) return [];
  if (isMessage(one)) return one.is_share === true ? unnamed('forwarded') : [];
  if (stringOf(one.image_url) !== '') return unnamed('image');
  const isShown = stringOf(one.fallback) !== '' || listOf(one.blocks).length > 0;
  return isShown && mediaIn(one.blocks).length === 0 ? unnamed('attachment') : [];
}

export function filesIn(one: Fields): unknown[] {
  const own = listOf(one.files);
  return own.length > 0 ? own : messagesIn(one).flatMap(({ files }) => listOf(files));
}

/** The URL comes last: a short preview shows the first line. */
function quoted({ is_share, author_name, author_id, from_url }: Fields, words: string) {
  const id = stringOf(author_id);
  const author = plain(author_name).replace(/\s+/g, ' ') || (id === '' ? '' : `<@${id}>`);
  const by = author === '' ? '' : ` from ${author}`;
  // Directly below a table, a line would be a row.
  const gap = words.endsWith('|') ? '\n\n' : '\n';
  const link = linkToken(stringOf(from_url), '');
  const from = link === '' ? '' : `${gap}(${link})`;
  return `${is_share === true ? 'Forwarded' : 'Linked'} message${by}:\n${words}${from}`;
}

function wordsIn(one: Fields, said: string, depth: number): Paragraph[] {
  const messages = messagesIn(one);
  const isAboutMessage = isMessage(one);
  const own = paragraphsOf([
    stringOf(one.pretext),
    isAboutMessage ? '' : linkToken(stringOf(one.title_link), plain(one.title)),
    stringOf(one.text),
    ...listOf(one.fields).map((field) => {
      const { title, value } = fieldsOf(field);
      return [title, value].map(stringOf).filter(Boolean).join(': ');
    }),
  ]);
  const inBlocks = [one.blocks, ...messages.map(({ blocks }) => blocks), one.actions].flatMap(blockTexts);
  const nested = depth <= 0 ? [] : [one, ...messages].map(({ attachments }) => attachments);
  const inside = nested
    .flatMap((given) => slackAttachmentsOf(given, ''))
    .map((inner) => ({ text: slackAttachmentText(inner, '', depth - 1), isApart: true as const }))
    .filter((inner) => inner.text !== '');
  const all = [...(isAboutMessage ? better(own, inBlocks) : both(own, inBlocks)), ...inside];
  if (!hasWords(all)) {
    const fallback = stringOf(one.fallback);
    return newTexts(said, paragraphsOf([isAboutMessage ? withoutAuthor(fallback) : fallback]));
  }
  // Apps repeat themselves; forwarded messages must be complete.
  if (!isAboutMessage) return newTexts(said, all);
  return isSaid(joinParagraphs(all), linesOf(said)) ? [] : all;
}

function paragraphsOf(texts: readonly string[]): Paragraph[] {
  return texts.map((one) => ({ text: unlessPlaceholder(one).trim() })).filter((one) => !isBlank(one.text));
}

function both(own: readonly Paragraph[], inBlocks: readonly Paragraph[]) {
  return [...own, ...newTexts(joinParagraphs(own), inBlocks)];
}

/** Slack's text may lose lists, code and tables, which the blocks keep. */
function better(own: readonly Paragraph[], inBlocks: readonly Paragraph[]) {
  const text = joinParagraphs(own);
  const words = inBlocks.filter(({ isStandIn }) => isStandIn !== true);
  const lines = linesOf(text);
  const saysMore =
    words.some((one) => !isSaid(one.text, lines)) &&
    lettersOf(joinParagraphs(words)).includes(lettersOf(text));
  return saysMore
    ? inBlocks.map((one) => ({ ...one, text: labelledAs(one.text, text) }))
    : both(own, inBlocks);
}

/** `[November 20th, 2026 9:12 AM] alice: The limit is 100` */
function withoutAuthor(fallback: string) {
  return fallback.replace(/^\[[^\]]{1,60}\] [^:\n]{1,100}: ?/, '');
}

/** Never inside a Slack token or an escaped character. */
function cut(words: string) {
  if (words.length <= ATTACHMENT_TEXT_MAX) return words;
  const kept = words.slice(0, ATTACHMENT_TEXT_MAX - 1).replace(/(?:<[^<>]*|&[a-z]*)$/, '');
  return `${kept.toWellFormed()}…`;
}
