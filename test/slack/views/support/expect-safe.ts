import type { KnownBlock } from '@slack/types';
import { expect } from 'vitest';
import { escapeMrkdwn } from '../../../../src/slack/protocol/slack-text.ts';
import { decodeButton } from '../../../../src/slack/views/buttons.ts';
import type { SlackMessage } from '../../../../src/slack/views/message.ts';
import { httpUrl } from '../../../../src/slack/views/text.ts';
import * as limits from '../../../support/strict-slack/limits.ts';

/** What a view may make live: nothing else is ours. */
export interface Ours {
  readonly users?: readonly string[];
  readonly channels?: readonly string[];
  /** Addresses that are links with all of their text. */
  readonly urls?: readonly (string | null | undefined)[];
  /** Addresses behind words of ours. */
  readonly labelled?: readonly (string | null)[];
  /** Addresses behind what they are called. */
  readonly named?: readonly string[];
  /** How long the plain-text twin may be. Default: as Slack takes it. */
  readonly textMax?: number;
  /** How many blocks there may be. Default: as in a message. */
  readonly blocksMax?: number;
}

const TIME = /<!date\^\d+\^(?:\{ago\}|\{date_short_pretty\} \{time\})\|\d{4}-\d\d-\d\d \d\d:\d\d UTC>/g;

/**
 * The message can be shown by Slack, holds nothing live but what is ours, and times, and says all of it in plain text,
 * too.
 */
export function expectSafe({ text, blocks }: SlackMessage, ours: Ours): void {
  const urls = (ours.urls ?? []).flatMap((address) => httpUrl(address ?? '') ?? []);
  const links = [
    ...urls.map((url) => `<${escapeMrkdwn(url)}>`),
    ...(ours.labelled ?? []).flatMap((url) => (url === null ? [] : [`<${escapeMrkdwn(url)}|thread>`])),
    ...idsIn(ours.users).map((id) => `<@${id}>`),
    ...idsIn(ours.channels).map((id) => `<#${id}>`),
  ];
  const named = (ours.named ?? []).map((url) => {
    const address = escapeMrkdwn(httpUrl(url) ?? '').replace(/[^\w]/g, '\\$&');
    return new RegExp(`<${address}\\|[^<>|\\n]+>`, 'g');
  });
  const expectOurs = (mrkdwn: string) => {
    const rest = [...links, ...named, TIME].reduce<string>((left, one) => left.replaceAll(one, ''), mrkdwn);
    expect(rest).not.toMatch(/[<>]/);
    expect(rest).not.toMatch(/&(?!amp;|lt;|gt;)/);
  };
  expectOurs(text);
  expect(text.length).toBeLessThanOrEqual(ours.textMax ?? limits.MESSAGE_TEXT_MAX);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]|\n\s*\n\s*\n/u);
  expect(JSON.stringify({ text, blocks }).isWellFormed()).toBe(true);
  expect(JSON.stringify({ text, blocks })).not.toMatch(/\\ud[89a-f]/);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.length).toBeLessThanOrEqual(ours.blocksMax ?? limits.MESSAGE_BLOCKS_MAX);
  const texts = blocks.flatMap((block) => textsOf(block));
  expect(texts.join('').length).toBeLessThanOrEqual(limits.MESSAGE_BLOCKS_TEXT_MAX);
  for (const { type, text: shown } of textObjects(blocks)) {
    // Screen readers and notifications have nothing else.
    expect(text).toContain(type === 'mrkdwn' ? shown : escapeMrkdwn(shown));
    if (type === 'mrkdwn') expectOurs(shown);
  }
}

function idsIn(given: readonly string[] = []): string[] {
  return given.filter((id) => /^[A-Z0-9]+$/.test(id));
}

/** All text of a block, after checking the block's own limits. */
function textsOf(block: KnownBlock): string[] {
  switch (block.type) {
    case 'section': {
      const shown = block.text?.text ?? '';
      expect(shown.trim()).not.toBe('');
      expect(escapedLength(shown)).toBeLessThanOrEqual(limits.SECTION_TEXT_MAX);
      return block.accessory?.type === 'button' ? [shown, expectButton(block.accessory)] : [shown];
    }
    case 'rich_text': {
      const [shown = ''] = textObjects([block]).map(({ text }) => text);
      expect(shown.trim()).not.toBe('');
      expect(escapedLength(shown)).toBeLessThanOrEqual(limits.SECTION_TEXT_MAX);
      return [shown];
    }
    case 'header':
      expect(block.text.text.length).toBeLessThanOrEqual(limits.HEADER_TEXT_MAX);
      return [block.text.text];
    case 'context':
      expect(block.elements.length).toBeGreaterThan(0);
      expect(block.elements.length).toBeLessThanOrEqual(limits.CONTEXT_ELEMENTS_MAX);
      return block.elements.map((element) => ('text' in element ? element.text : ''));
    case 'actions':
      expect(block.elements.length).toBeLessThanOrEqual(limits.ACTIONS_ELEMENTS_MAX);
      return block.elements.map((element) => expectButton(element));
    default:
      throw new Error(`no view makes a ${block.type} block`);
  }
}

function expectButton(element: Extract<KnownBlock, { type: 'actions' }>['elements'][number]): string {
  if (element.type !== 'button') throw new Error(`no view makes a ${element.type} element`);
  expect(element.text.text.length).toBeLessThanOrEqual(limits.BUTTON_TEXT_MAX);
  const { accessibility_label: label = '' } = element;
  expect(label.length).toBeLessThanOrEqual(limits.BUTTON_LABEL_MAX);
  expect(label).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{Cc}/u);
  // Who cannot see what stands above it hears which job it is about.
  if (decodeButton(element.value ?? '') !== null)
    expect(label).toContain(element.text.text.replace(/…$/, ''));
  expect((element.value ?? '').length).toBeLessThanOrEqual(limits.BUTTON_VALUE_MAX);
  if (element.url !== undefined) {
    expect(element.url).toMatch(/^https?:\/\/[^\s<>|]+$/);
    expect(element.url.length).toBeLessThanOrEqual(limits.BUTTON_URL_MAX);
    expect(httpUrl(element.url)).toBe(element.url);
  }
  return element.text.text;
}

function textObjects(blocks: KnownBlock[]): { type: string; text: string }[] {
  return blocks.flatMap((block): { type: string; text: string }[] => {
    if (block.type === 'section') return block.text ? [block.text] : [];
    if (block.type === 'header') return [block.text];
    if (block.type === 'rich_text') {
      return block.elements.flatMap((element) =>
        element.type === 'rich_text_quote' ? element.elements.filter((one) => one.type === 'text') : [],
      );
    }
    if (block.type !== 'context') return [];
    return block.elements.flatMap((element) => ('text' in element ? [element] : []));
  });
}

function escapedLength(shown: string): number {
  return shown.length + 4 * (shown.match(/&/g) ?? []).length;
}
