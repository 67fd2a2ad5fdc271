import type { Button, KnownBlock, MrkdwnElement, PlainTextElement } from '@slack/types';
import { type ActionId, actionIds, type ButtonTarget, encodeButton } from '../../protocol/ids.ts';
import { type Mrkdwn, mrkdwn } from './mrkdwn.ts';

/** What Slack is given to post. */
export interface SlackMessage {
  /** All that the blocks say, as mrkdwn, escaped: screen readers and notifications know only this. */
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** A block, and what it says to those who cannot see it (null: it adds nothing). */
export interface Part {
  readonly block: KnownBlock;
  readonly twin: Mrkdwn | null;
}

/** Longer addresses are left to the button: cut short, they would lead elsewhere. */
const SPOKEN_URL_MAX = 1000;
const SEPARATOR = ' · ';

export function message(first: Part, ...more: Part[]): SlackMessage {
  const parts = [first, ...more];
  const lines = parts.flatMap(({ twin }) => (twin === null ? [] : [twin.mrkdwn]));
  return { text: lines.join('\n'), blocks: parts.map(({ block }) => block) };
}

/** Stands above a group of parts. @param text at most `HEADER_TEXT_MAX` characters of our own */
export function heading(text: string): Part {
  return { block: { type: 'header', text: plain(text) }, twin: mrkdwn`*${text}*` };
}

/** A paragraph of our own words. */
export function paragraph(text: Mrkdwn): Part {
  return { block: { type: 'section', text: markup(text) }, twin: text };
}

/** A paragraph of untrusted text, made by `untrusted.ts`. */
export function quotation(text: string): Part {
  return { block: { type: 'section', text: plain(text) }, twin: mrkdwn`${text}` };
}

/** Small print in our own words. One element, so that its line breaks where it is full, and not before. */
export function smallPrint(...facts: readonly Mrkdwn[]): Part {
  const text = { mrkdwn: facts.map((fact) => fact.mrkdwn).join(SEPARATOR) };
  return { block: { type: 'context', elements: [markup(text)] }, twin: text };
}

/** Small print of untrusted text, made by `untrusted.ts`. */
export function smallQuotation(...facts: readonly string[]): Part {
  const text = facts.join(SEPARATOR);
  return { block: { type: 'context', elements: [plain(text)] }, twin: mrkdwn`${text}` };
}

/** The address as a link that shows all of it, or null if it is too long to be read. @param url from `httpUrl` */
export function link(url: string): Mrkdwn | null {
  const address = mrkdwn`${url}`.mrkdwn;
  return address.length <= SPOKEN_URL_MAX ? { mrkdwn: `<${address}>` } : null;
}

/** A button, and what it says to those who cannot see it (null: the words around it name it). */
export interface ButtonPart {
  readonly button: Button;
  readonly twin: Mrkdwn | null;
}

/** A row of buttons. */
export function buttons(...row: readonly ButtonPart[]): Part {
  const spoken = row.flatMap(({ twin }) => (twin === null ? [] : [twin.mrkdwn]));
  return {
    block: { type: 'actions', elements: row.map(({ button }) => button) },
    twin: spoken.length === 0 ? null : { mrkdwn: spoken.join('\n') },
  };
}

/** A button with a value of its own form. */
export function pressButton(label: string, actionId: ActionId, value: string, style?: 'primary'): ButtonPart {
  const button: Button = { type: 'button', text: plain(label), action_id: actionId, value };
  return {
    button: style === undefined ? button : { ...button, style },
    twin: mrkdwn`Button: ${label}`,
  };
}

/** The paragraph with a button beside it, which its words do not name. @param part from `paragraph` or `quotation` */
export function withButton(part: Part, label: string, actionId: ActionId, target: ButtonTarget): Part {
  const { button } = pressButton(label, actionId, encodeButton(target));
  return part.block.type === 'section' ? { ...part, block: { ...part.block, accessory: button } } : part;
}

/** A button that makes something happen. */
export function offerButton(label: string, actionId: ActionId, target: ButtonTarget): ButtonPart {
  return pressButton(label, actionId, encodeButton(target));
}

/** The same in a row of its own. The words around it must name it: it has no twin. */
export function actionButton(label: string, actionId: ActionId, target: ButtonTarget): Part {
  return buttons({ ...offerButton(label, actionId, target), twin: null });
}

/** As `actionButton`, with another value: at most 2000 characters. */
export function valueButton(label: string, actionId: ActionId, value: string): Part {
  return buttons({ button: { type: 'button', text: plain(label), action_id: actionId, value }, twin: null });
}

/** @param url from `httpUrl` */
export function viewPullRequestButton(url: string, style?: 'primary'): ButtonPart {
  return linkButton('View pull request', actionIds.viewPullRequest, url, style);
}

/** @param url from `httpUrl` */
export function openThreadButton(url: string): ButtonPart {
  return linkButton('Open the thread', actionIds.openThread, url);
}

function linkButton(label: string, actionId: ActionId, url: string, style?: 'primary'): ButtonPart {
  const button: Button = { type: 'button', text: plain(label), action_id: actionId, url };
  const spokenUrl = mrkdwn`${url}`;
  const isShort = spokenUrl.mrkdwn.length <= SPOKEN_URL_MAX;
  const twin = isShort
    ? mrkdwn`${label}: ${spokenUrl}`
    : mrkdwn`${label}: use the button, the address is long`;
  return { button: style === undefined ? button : { ...button, style }, twin };
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** `verbatim`: Slack turns nothing in it into links or mentions by itself. */
function markup(text: Mrkdwn): MrkdwnElement {
  return { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}
