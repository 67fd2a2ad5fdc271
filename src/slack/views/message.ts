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
import { type ButtonKind, type ButtonTarget, buttons, decodeButton } from './buttons.ts';
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

/** `Mrkdwn` and strings become paragraphs. */
export type Blocks = Parts<KnownBlock | Mrkdwn | string>;

export function blocksOf(parts: Blocks): KnownBlock[] {
  return listed(parts).map((part) => (typeof part === 'string' || 'mrkdwn' in part ? paragraph(part) : part));
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
    const { url, value = '', text, action_id: id, accessibility_label: label } = button;
    if (label !== undefined || (url === undefined && decodeButton(value) === null)) return button;
    const of = url !== undefined || id === buttons.details.id ? ' of' : ',';
    const words = `${text.text.replace(/…$/, '')}${of} ${name}`;
    return { ...button, accessibility_label: cut(words, BUTTON_LABEL_MAX) };
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

export function paragraph(text: Mrkdwn | string, accessory?: Button): SectionBlock {
  return { type: 'section', text: textObject(text), ...(accessory && { accessory }) };
}

export function withoutAccessory(block: KnownBlock): KnownBlock {
  if (block.type !== 'section') return block;
  const { accessory: _accessory, ...section } = block;
  return section;
}

export function quotation(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
  };
}

/** Only strings: plain text. One element wraps only at the end of a line. */
export function smallPrint(...facts: readonly Parts<Mrkdwn | string>[]): Blocks {
  const shown = listed(facts);
  const isPlain = shown.every((fact) => typeof fact === 'string');
  const text = textObject(isPlain ? shown.join(' · ') : joined(shown));
  return shown.length > 0 && { type: 'context', elements: [text] };
}

export function buttonRow(...row: readonly Parts<Button>[]): Blocks {
  const elements = listed(row);
  return elements.length > 0 && { type: 'actions', elements };
}

/** @param value at most 2000 characters */
export function pressButton(kind: ButtonKind, value: string): Button {
  return { ...buttonOf(kind), value };
}

/** Null if the URL may not be a link. */
export function linkButton(kind: ButtonKind, untrusted: string | null | undefined): Button | null {
  const url = httpUrl(untrusted ?? '');
  return url === null ? null : { ...buttonOf(kind), url };
}

function buttonOf({ id, label, style }: ButtonKind): Button {
  return { type: 'button', text: plain(label), action_id: id, ...(style && { style }) };
}

export function targetButton(
  kind: ButtonKind,
  { id: jobId }: Job,
  target: Omit<ButtonTarget, 'jobId'> = {},
  confirm?: ConfirmationDialog,
): Button {
  return { ...pressButton(kind, JSON.stringify({ jobId, ...target })), ...(confirm && { confirm }) };
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
    "It stops what it is doing. Replies that it hasn't started on are dropped.",
    'Stop',
  ),
  sendAgain: confirmation(
    'Send it a second time?',
    'The agent may already have this. It would get the same text twice.',
    'Send anyway',
  ),
};

export function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** Strings have no markup. `verbatim`: Slack adds no links or mentions. */
function textObject(text: Mrkdwn | string): PlainTextElement | MrkdwnElement {
  return typeof text === 'string' ? plain(text) : { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}

/** A cut URL would lead elsewhere. */
const SPOKEN_URL_MAX = 300;

/** For screen readers and notifications. URLs appear unless the text before them links there. */
function fallbackText(blocks: readonly KnownBlock[]) {
  const lines: string[] = [];
  const speak = (...elements: readonly ({ readonly type: string } | undefined)[]) => {
    const shown = elements.filter((one): one is Button => one?.type === 'button');
    const before = lines.join('\n');
    for (const { text, url } of shown) {
      const address = escapeMrkdwn(url ?? '');
      if (url === undefined || before.includes(`<${address}>`) || before.includes(`<${address}|`)) continue;
      const where = address.length <= SPOKEN_URL_MAX ? address : 'use the button; the address is too long';
      lines.push(`${wordsOf(text)}: ${where}`);
    }
    const pressed = shown.filter(({ url }) => url === undefined).map(({ text }) => `[${wordsOf(text)}]`);
    if (pressed.length > 0) lines.push(pressed.join(' '));
  };
  for (const block of blocks) {
    if (block.type === 'header') lines.push(`*${wordsOf(block.text)}*`);
    if (block.type === 'section') {
      if (block.text) lines.push(wordsOf(block.text));
      speak(block.accessory);
    }
    if (block.type === 'context') {
      lines.push(block.elements.map((one) => (one.type === 'image' ? '' : wordsOf(one))).join(' '));
    }
    if (block.type === 'rich_text') lines.push(`“${escapeMrkdwn(quoted(block))}”`);
    if (block.type === 'actions') speak(...block.elements);
  }
  return lines.join('\n');
}

function quoted({ elements }: RichTextBlock) {
  return elements
    .flatMap((element) => (element.type === 'rich_text_quote' ? element.elements : []))
    .map((element) => (element.type === 'text' ? element.text : ''))
    .join('');
}

function wordsOf(text: PlainTextElement | MrkdwnElement) {
  return text.type === 'mrkdwn' ? text.text : escapeMrkdwn(text.text);
}
