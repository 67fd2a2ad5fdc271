import type {
  Button,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';
import {
  type Button as ButtonKind,
  type ButtonTarget,
  buttons,
  type Confirmation,
  encodeButton,
} from './buttons.ts';
import { fallbackText } from './fallback.ts';
import { type Mrkdwn, mrkdwn } from './mrkdwn.ts';

/** What Slack is given to post. */
export interface SlackMessage {
  /** All that the blocks say, as mrkdwn, escaped. */
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Longer addresses are not read by anybody. */
const LINK_MAX = 1000;
const SEPARATOR = ' · ';

export function message(...blocks: [KnownBlock, ...KnownBlock[]]): SlackMessage {
  return { text: fallbackText(blocks), blocks };
}

/** The heading of a group of blocks. @param text at most `HEADER_TEXT_MAX` characters of our own */
export function heading(text: string): KnownBlock {
  return { type: 'header', text: plain(text) };
}

/** A paragraph of our own words. */
export function paragraph(text: Mrkdwn): SectionBlock {
  return { type: 'section', text: markup(text) };
}

/** A paragraph of untrusted text, made by `untrusted.ts`. */
export function untrustedParagraph(text: string): SectionBlock {
  return { type: 'section', text: plain(text) };
}

/** What somebody has written, as a quotation: `text` is made by `untrusted.ts`. */
export function quotation(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
  };
}

/** Small print in our own words. One element, so that its line breaks where it is full, and not before. */
export function smallPrint(...facts: readonly Mrkdwn[]): KnownBlock {
  const text = { mrkdwn: facts.map((fact) => fact.mrkdwn).join(SEPARATOR) };
  return { type: 'context', elements: [markup(text)] };
}

/** Small print of untrusted text, made by `untrusted.ts`. */
export function smallQuotation(...facts: readonly string[]): KnownBlock {
  return { type: 'context', elements: [plain(facts.join(SEPARATOR))] };
}

/** The address as a link that shows all of it, or null if it is too long to be read. @param url from `httpUrl` */
export function link(url: string): Mrkdwn | null {
  const address = mrkdwn`${url}`.mrkdwn;
  return address.length <= LINK_MAX ? { mrkdwn: `<${address}>` } : null;
}

/** A row of buttons. */
export function buttonRow(...row: readonly Button[]): KnownBlock {
  return { type: 'actions', elements: [...row] };
}

/** A button with a value of its own form: at most 2000 characters. */
export function pressButton({ id, label }: ButtonKind, value: string, style?: 'primary'): Button {
  const button: Button = { type: 'button', text: plain(label), action_id: id, value };
  return style === undefined ? button : { ...button, style };
}

/** The paragraph with a button beside it. */
export function withButton(section: SectionBlock, kind: ButtonKind, target: ButtonTarget): SectionBlock {
  return { ...section, accessory: targetButton(kind, target) };
}

/** A button that makes something happen, after Slack has asked once more where there is a confirmation. */
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
export function actionButton(kind: ButtonKind, target: ButtonTarget): KnownBlock {
  return buttonRow(targetButton(kind, target));
}

/** @param url from `httpUrl` */
export function viewPullRequestButton(url: string, style?: 'primary'): Button {
  return linkButton(buttons.viewPullRequest, url, style);
}

/** @param url from `httpUrl` */
export function previewButton(url: string): Button {
  return linkButton(buttons.viewPreview, url);
}

/** @param url from `httpUrl` */
export function openThreadButton(url: string): Button {
  return linkButton(buttons.openThread, url);
}

function linkButton({ id, label }: ButtonKind, url: string, style?: 'primary'): Button {
  const button: Button = { type: 'button', text: plain(label), action_id: id, url };
  return style === undefined ? button : { ...button, style };
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** `verbatim`: Slack turns nothing in it into links or mentions by itself. */
function markup(text: Mrkdwn): MrkdwnElement {
  return { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}
