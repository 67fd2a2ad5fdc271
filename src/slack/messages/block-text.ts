import { z } from 'zod';
import { isBlank } from '../../jobs/requests/prompt.ts';
import { escapeMrkdwn, unescapeMrkdwn } from '../protocol/slack-text.ts';

/** Deeper than Slack nests its blocks; input from outside may be nested arbitrarily deep. */
const MAX_DEPTH = 8;

/** A block, or a part of one, as far as it matters here. */
const part = z.object({
  type: z.string().catch(''),
  text: z.unknown().optional(),
  fields: z.unknown().optional(),
  elements: z.unknown().optional(),
  url: z.string().catch(''),
  name: z.string().catch(''),
  user_id: z.string().catch(''),
  usergroup_id: z.string().catch(''),
  channel_id: z.string().catch(''),
  range: z.string().catch(''),
  value: z.string().catch(''),
  fallback: z.string().catch(''),
});
type Part = z.infer<typeof part>;

/** The texts of a message's blocks, one for each paragraph, as Slack would deliver them in `text`. */
export function blockTexts(blocks: unknown): string[] {
  return partsOf(blocks).flatMap(textsOf);
}

function textsOf(block: Part): string[] {
  switch (block.type) {
    case 'rich_text':
      return partsOf(block.elements).flatMap(paragraphsOf);
    case 'section':
      return [textObject(block.text), ...listOf(block.fields).map(textObject)];
    case 'header':
      return [textObject(block.text)];
    case 'context':
      return listOf(block.elements).map(textObject);
    case 'markdown':
      return [plain(block.text)];
    default:
      return [];
  }
}

/** Of a rich text: a list has one for each item. */
function paragraphsOf(element: Part): string[] {
  if (element.type !== 'rich_text_list') return [inlineText(element.elements, MAX_DEPTH)];
  return partsOf(element.elements).map((item) => `• ${inlineText(item.elements, MAX_DEPTH)}`);
}

function inlineText(elements: unknown, depth: number): string {
  return partsOf(elements)
    .map((element) => inline(element, depth))
    .join('');
}

function inline(element: Part, depth: number): string {
  switch (element.type) {
    case 'text':
      return plain(element.text);
    case 'link':
      return linkToken(element.url, plain(element.text));
    case 'emoji':
      return `:${element.name}:`;
    case 'user':
      return token('@', element.user_id);
    case 'usergroup':
      return token('!subteam^', element.usergroup_id);
    case 'channel':
      return token('#', element.channel_id);
    case 'broadcast':
      return token('!', element.range);
    case 'date':
      return plain(element.fallback);
    case 'color':
      return plain(element.value);
    default:
      return depth > 0 ? inlineText(element.elements, depth - 1) : '';
  }
}

/** A text object of Slack's; of others nothing. */
function textObject(given: unknown): string {
  const { type, text } = part.safeParse(given).data ?? {};
  if (type === 'mrkdwn') return typeof text === 'string' ? text : '';
  return type === 'plain_text' ? plain(text) : '';
}

/** Slack escapes some of these texts and others not: either way, each character is escaped once. */
export function plain(text: unknown): string {
  return typeof text === 'string' ? escapeMrkdwn(unescapeMrkdwn(text)) : '';
}

/** @param label escaped */
export function linkToken(url: string, label: string): string {
  const address = escapeMrkdwn(unescapeMrkdwn(url)).replaceAll('|', '%7C');
  if (address === '') return label;
  return label === '' ? `<${address}>` : `<${address}|${label}>`;
}

function token(prefix: string, id: string): string {
  return /^[\w.]+$/.test(id) ? `<${prefix}${id}>` : '';
}

function partsOf(given: unknown): Part[] {
  return listOf(given).flatMap((one) => part.safeParse(one).data ?? []);
}

export function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

/** Those texts that say something, and nothing that was said already: markup and spaces make no difference. */
export function newTexts(said: string, texts: readonly string[]): string[] {
  const before = wordsOf(said);
  return texts
    .map((text) => text.trim())
    .filter(
      (text) =>
        !isBlank(text) && !(wordsOf(text) === '  ' ? said.includes(text) : before.includes(wordsOf(text))),
    );
}

/** Between spaces, so that a word is found only as a whole. */
function wordsOf(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}
