import type {
  Button,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';
import { escapeMrkdwn } from '../../protocol/slack-text.ts';
import { type Button as ButtonKind, type ButtonTarget, type Confirmation, encodeButton } from './buttons.ts';
import { httpUrl, joined, listed, type Mrkdwn, mrkdwn, type Parts } from './mrkdwn.ts';

export interface SlackMessage {
  /** Everything in the blocks, as escaped mrkdwn. */
  readonly text: string;
  readonly blocks: KnownBlock[];
}

export type Blocks = Parts<KnownBlock>;

export function message(...parts: readonly Blocks[]): SlackMessage {
  const blocks = listed(parts);
  return { text: fallbackText(blocks), blocks };
}

/** A message of one paragraph in our own words. Takes what `mrkdwn` takes. */
export function say(...words: Parameters<typeof mrkdwn>): SlackMessage {
  return message(paragraph(mrkdwn(...words)));
}

/** Heads a group of blocks. @param text at most `HEADER_TEXT_MAX` characters of our own */
export function heading(text: string): KnownBlock {
  return { type: 'header', text: plain(text) };
}

/** Our own words. */
export function paragraph(text: Mrkdwn): SectionBlock {
  return { type: 'section', text: markup(text) };
}

export function withoutAccessory(block: KnownBlock): KnownBlock {
  if (block.type !== 'section') return block;
  const { accessory: _accessory, ...section } = block;
  return section;
}

/** Untrusted text, made by `untrusted.ts`. */
export function untrustedParagraph(text: string): SectionBlock {
  return { type: 'section', text: plain(text) };
}

/** Somebody's words as a quotation: `text` is made by `untrusted.ts`. */
export function quotation(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
  };
}

/** Small print in our own words. One element, so that it wraps only at the end of a line. */
export function smallPrint(...facts: readonly Parts<Mrkdwn | string>[]): Blocks {
  return listed(facts).length > 0 && { type: 'context', elements: [markup(joined(facts))] };
}

/** Small print of untrusted text, made by `untrusted.ts`. */
export function smallQuotation(...facts: readonly Parts<string>[]): Blocks {
  const texts = listed(facts);
  return texts.length > 0 && { type: 'context', elements: [plain(texts.join(' · '))] };
}

export function buttonRow(...row: readonly Parts<Button>[]): Blocks {
  const elements = listed(row);
  return elements.length > 0 && { type: 'actions', elements };
}

/** A button with a value in a format of its own, at most 2000 characters. */
export function pressButton({ id, label }: ButtonKind, value: string, style?: 'primary'): Button {
  return { type: 'button', text: plain(label), action_id: id, value, ...(style && { style }) };
}

/** Null for a URL that may not be a link. */
export function linkButton({ id, label }: ButtonKind, untrusted: string | null, style?: 'primary') {
  const url = httpUrl(untrusted ?? '');
  if (url === null) return null;
  return { type: 'button', text: plain(label), action_id: id, url, ...(style && { style }) } satisfies Button;
}

/** A button with an effect, after Slack's confirmation if there is one. */
export function targetButton(kind: ButtonKind, target: ButtonTarget, asks?: Confirmation): Button {
  const button = pressButton(kind, encodeButton(target));
  if (asks === undefined) return button;
  const { title, text, confirm, deny } = asks;
  return {
    ...button,
    confirm: { title: plain(title), text: plain(text), confirm: plain(confirm), deny: plain(deny) },
  };
}

/** The same in a row of its own. */
export function actionButton(kind: ButtonKind, target: ButtonTarget): Blocks {
  return buttonRow(targetButton(kind, target));
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** `verbatim`: Slack adds no links or mentions of its own. */
function markup(text: Mrkdwn): MrkdwnElement {
  return { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}

/** Longer URLs are left to the button: cut, they would lead elsewhere. */
const SPOKEN_URL_MAX = 300;

/**
 * Everything in the blocks, as mrkdwn, for screen readers and notifications. Buttons are named in brackets;
 * links show their URL unless the words before them do.
 */
function fallbackText(blocks: readonly KnownBlock[]): string {
  const lines: string[] = [];
  for (const block of blocks) lines.push(...linesOf(block, lines.join('\n')));
  return lines.join('\n');
}

/** @param before the words before the block */
function linesOf(block: KnownBlock, before: string): string[] {
  switch (block.type) {
    case 'header':
      return [`*${said(block.text)}*`];
    case 'section': {
      const text = block.text === undefined ? [] : [said(block.text)];
      return [...text, ...spoken([block.accessory], [before, ...text].join('\n'))];
    }
    case 'context':
      return [block.elements.flatMap((element) => (element.type === 'image' ? [] : said(element))).join(' ')];
    case 'rich_text':
      return [`“${escapeMrkdwn(quoted(block))}”`];
    case 'actions':
      return spoken(block.elements, before);
    default:
      return [];
  }
}

function quoted({ elements }: RichTextBlock): string {
  return elements
    .flatMap((element) => (element.type === 'rich_text_quote' ? element.elements : []))
    .map((element) => (element.type === 'text' ? element.text : ''))
    .join('');
}

/** Each URL on its own line, then the buttons to press. */
function spoken(elements: readonly ({ readonly type: string } | undefined)[], before: string): string[] {
  const buttons = elements.filter((one): one is Button => one?.type === 'button');
  const links = buttons.flatMap((button) => linkOf(button, before));
  const pressed = buttons.flatMap(({ url, text }) => (url === undefined ? `[${said(text)}]` : []));
  return pressed.length === 0 ? links : [...links, pressed.join(' ')];
}

function linkOf({ text, url }: Button, before: string): string[] {
  if (url === undefined) return [];
  const address = escapeMrkdwn(url);
  if (before.includes(`<${address}>`) || before.includes(`<${address}|`)) return [];
  const where = address.length <= SPOKEN_URL_MAX ? address : 'use the button; the address is too long';
  return [`${said(text)}: ${where}`];
}

function said(text: PlainTextElement | MrkdwnElement): string {
  return text.type === 'mrkdwn' ? text.text : escapeMrkdwn(text.text);
}
