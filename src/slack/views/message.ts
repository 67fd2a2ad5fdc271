import type { Button, KnownBlock, MrkdwnElement, PlainTextElement } from '@slack/types';
import { type ActionId, actionIds, type ButtonTarget, encodeButton } from '../ids.ts';
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

export function message(first: Part, ...more: Part[]): SlackMessage {
  const parts = [first, ...more];
  const lines = parts.flatMap(({ twin }) => (twin === null ? [] : [twin.mrkdwn]));
  return { text: lines.join('\n'), blocks: parts.map(({ block }) => block) };
}

/** A paragraph of our own words. */
export function paragraph(text: Mrkdwn): Part {
  return { block: { type: 'section', text: markup(text) }, twin: text };
}

/** A paragraph of untrusted text, made by `untrusted.ts`. */
export function quotation(text: string): Part {
  return { block: { type: 'section', text: plain(text) }, twin: mrkdwn`${text}` };
}

/** Small print: up to 10 facts; strings are untrusted text. */
export function smallPrint(...facts: ReadonlyArray<string | Mrkdwn>): Part {
  const elements = facts.map((fact) => (typeof fact === 'string' ? plain(fact) : markup(fact)));
  const spoken = facts.map((fact) => (typeof fact === 'string' ? mrkdwn`${fact}` : fact).mrkdwn);
  return { block: { type: 'context', elements }, twin: { mrkdwn: spoken.join(' · ') } };
}

/** A button that makes something happen. The words around it must name it: it has no twin. */
export function actionButton(label: string, actionId: ActionId, target: ButtonTarget): Part {
  return buttonPart({ type: 'button', text: plain(label), action_id: actionId, value: encodeButton(target) });
}

/** @param url from `httpUrl` */
export function viewPullRequestButton(url: string, style?: 'primary'): Part {
  return linkButton('View pull request', actionIds.viewPullRequest, url, style);
}

/** @param url from `httpUrl` */
export function openThreadButton(url: string): Part {
  return linkButton('Open the thread', actionIds.openThread, url);
}

function linkButton(label: string, actionId: ActionId, url: string, style?: 'primary'): Part {
  const button: Button = { type: 'button', text: plain(label), action_id: actionId, url };
  const spokenUrl = mrkdwn`${url}`;
  const isShort = spokenUrl.mrkdwn.length <= SPOKEN_URL_MAX;
  const twin = isShort
    ? mrkdwn`${label}: ${spokenUrl}`
    : mrkdwn`${label}: use the button, the address is long`;
  return { ...buttonPart(style === undefined ? button : { ...button, style }), twin };
}

function buttonPart(button: Button): Part {
  return { block: { type: 'actions', elements: [button] }, twin: null };
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** `verbatim`: Slack turns nothing in it into links or mentions by itself. */
function markup(text: Mrkdwn): MrkdwnElement {
  return { type: 'mrkdwn', text: text.mrkdwn, verbatim: true };
}
