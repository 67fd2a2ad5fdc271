import type {
  Button,
  ConfirmationDialog,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';
import type { Job } from '#jobs/job.ts';
import { escapeMrkdwn } from '../protocol/slack-text.ts';
import {
  type Button as ButtonKind,
  type ButtonTarget,
  buttons,
  decodeButton,
  encodeButton,
} from './buttons.ts';
import {
  BUTTON_LABEL_MAX,
  cut,
  httpUrl,
  joined,
  listed,
  type Mrkdwn,
  mrkdwn,
  type Names,
  type Parts,
  promptTitle,
} from './text.ts';

export type SlackMessage = Readonly<{
  /** All of `blocks` as escaped mrkdwn. */
  text: string;
  blocks: KnownBlock[];
}>;

/** `Mrkdwn` becomes a paragraph. */
export type Blocks = Parts<KnownBlock | Mrkdwn>;

export function blocksOf(parts: Blocks): KnownBlock[] {
  return listed(parts).map((part) => ('mrkdwn' in part ? paragraph(part) : part));
}

export function message(...parts: readonly Blocks[]): SlackMessage {
  const blocks = blocksOf(parts);
  return { text: fallbackText(blocks), blocks };
}

export function say(...words: Parameters<typeof mrkdwn>): SlackMessage {
  return message(mrkdwn(...words));
}

export function messageOfJob(job: Job, names: Names, ...parts: readonly Blocks[]): SlackMessage {
  return message(namingJob(job, names, parts));
}

/** For screen readers: "Details of #42: Add a quickstart". */
export function namingJob(job: Job, names: Names, parts: Blocks): KnownBlock[] {
  const title = promptTitle(job.prompt, names).replace(/\s+/g, ' ');
  const name = job.number > 0 ? `#${job.number}: ${title}` : title;
  const named = (button: Button) => {
    if (button.accessibility_label !== undefined) return button;
    if (button.url === undefined && decodeButton(button.value ?? '') === null) return button;
    const isThing = button.url !== undefined || button.action_id === buttons.details.id;
    const label = `${button.text.text.replace(/…$/, '')}${isThing ? ' of ' : ', '}${name}`;
    return { ...button, accessibility_label: cut(label, BUTTON_LABEL_MAX) };
  };
  return blocksOf(parts).map((block) => {
    if (block.type === 'actions') {
      return { ...block, elements: block.elements.map((one) => (one.type === 'button' ? named(one) : one)) };
    }
    if (block.type !== 'section' || block.accessory?.type !== 'button') return block;
    return { ...block, accessory: named(block.accessory) };
  });
}

/** @param text at most `HEADER_TEXT_MAX` characters */
export function heading(text: string): KnownBlock {
  return { type: 'header', text: plain(text) };
}

export function paragraph(text: Mrkdwn, accessory?: Button): SectionBlock {
  return { type: 'section', text: markup(text), ...(accessory && { accessory }) };
}

export function withoutAccessory(block: KnownBlock): KnownBlock {
  if (block.type !== 'section') return block;
  const { accessory: _accessory, ...section } = block;
  return section;
}

/** @param text from `text.ts` */
export function untrustedParagraph(text: string): SectionBlock {
  return { type: 'section', text: plain(text) };
}

export function quotation(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
  };
}

export function smallQuotation(...facts: readonly Parts<string>[]): Blocks {
  const texts = listed(facts);
  return texts.length > 0 && { type: 'context', elements: [plain(texts.join(' · '))] };
}

/** One element wraps only at the end of a line. */
export function smallPrint(...facts: readonly Parts<Mrkdwn | string>[]): Blocks {
  return listed(facts).length > 0 && { type: 'context', elements: [markup(joined(facts))] };
}

export function buttonRow(...row: readonly Parts<Button>[]): Blocks {
  const elements = listed(row);
  return elements.length > 0 && { type: 'actions', elements };
}

/** @param value at most 2000 characters */
export function pressButton({ id, label }: ButtonKind, value: string, style?: 'primary'): Button {
  return { type: 'button', text: plain(label), action_id: id, value, ...(style && { style }) };
}

/** Null if the URL may not be a link. */
export function linkButton(
  { id, label }: ButtonKind,
  untrusted: string | null,
  style?: 'primary',
): Button | null {
  const url = httpUrl(untrusted ?? '');
  if (url === null) return null;
  return { type: 'button', text: plain(label), action_id: id, url, ...(style && { style }) };
}

export function targetButton(kind: ButtonKind, target: ButtonTarget, confirm?: ConfirmationDialog): Button {
  return { ...pressButton(kind, encodeButton(target)), ...(confirm && { confirm }) };
}

function confirmation(title: string, text: string, confirm: string): ConfirmationDialog {
  return { title: plain(title), text: plain(text), confirm: plain(confirm), deny: plain('Cancel') };
}

export const confirmations = {
  startAgain: confirmation(
    'Start it a second time?',
    'The agent may already be working on this. Look for a pull request first.',
    'Start anyway',
  ),
  stop: confirmation(
    'Stop the agent?',
    'It ends what it does now. Replies that it has not begun with are dropped.',
    'Stop',
  ),
  sendAgain: confirmation(
    'Send it a second time?',
    'The agent may already have this. It would get the same text twice.',
    'Send anyway',
  ),
};

export function actionButton(kind: ButtonKind, target: ButtonTarget): Blocks {
  return buttonRow(targetButton(kind, target));
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** `verbatim`: Slack adds no links or mentions. */
function markup(text: Mrkdwn): MrkdwnElement {
  return { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}

/** A cut URL would lead elsewhere. */
const SPOKEN_URL_MAX = 300;

/** For screen readers and notifications. URLs appear unless the text before them links there. */
function fallbackText(blocks: readonly KnownBlock[]) {
  const lines: string[] = [];
  for (const block of blocks) lines.push(...linesOf(block, lines.join('\n')));
  return lines.join('\n');
}

function linesOf(block: KnownBlock, before: string) {
  switch (block.type) {
    case 'header':
      return [`*${wordsOf(block.text)}*`];
    case 'section': {
      const text = block.text === undefined ? [] : [wordsOf(block.text)];
      return [...text, ...spoken([block.accessory], [before, ...text].join('\n'))];
    }
    case 'context':
      return [block.elements.map((one) => (one.type === 'image' ? '' : wordsOf(one))).join(' ')];
    case 'rich_text':
      return [`“${escapeMrkdwn(quoted(block))}”`];
    case 'actions':
      return spoken(block.elements, before);
    default:
      return [];
  }
}

function quoted({ elements }: RichTextBlock) {
  return elements
    .flatMap((element) => (element.type === 'rich_text_quote' ? element.elements : []))
    .map((element) => (element.type === 'text' ? element.text : ''))
    .join('');
}

function spoken(elements: readonly ({ readonly type: string } | undefined)[], before: string) {
  const shown = elements.filter((one): one is Button => one?.type === 'button');
  const links = shown.flatMap(({ text, url }) => {
    if (url === undefined) return [];
    const address = escapeMrkdwn(url);
    if (before.includes(`<${address}>`) || before.includes(`<${address}|`)) return [];
    const where = address.length <= SPOKEN_URL_MAX ? address : 'use the button; the address is too long';
    return `${wordsOf(text)}: ${where}`;
  });
  const pressed = shown.flatMap(({ url, text }) => (url === undefined ? `[${wordsOf(text)}]` : []));
  return pressed.length === 0 ? links : [...links, pressed.join(' ')];
}

function wordsOf(text: PlainTextElement | MrkdwnElement) {
  return text.type === 'mrkdwn' ? text.text : escapeMrkdwn(text.text);
}
