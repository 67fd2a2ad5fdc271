import type { Button, KnownBlock } from '@slack/types';
import { expect } from 'vitest';
import { escapeMrkdwn } from '../../../../src/slack/protocol/slack-text.ts';
import { decodeButton } from '../../../../src/slack/views/buttons.ts';
import type { SlackMessage } from '../../../../src/slack/views/message.ts';
import { httpUrl } from '../../../../src/slack/views/text.ts';
import { blockList, checkedBlocks } from '../../../support/strict-slack/blocks.ts';
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
  /** It is a home: Slack takes more blocks, and no plain text. */
  readonly isHome?: boolean;
}

const TIME = /<!date\^\d+\^(?:\{ago\}|\{date_short_pretty\} \{time\})\|\d{4}-\d\d-\d\d \d\d:\d\d UTC>/g;
const INVISIBLE = /[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]|\n\s*\n\s*\n/u;

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
  expect(text.length).toBeLessThanOrEqual(ours.isHome ? 20_000 : limits.MESSAGE_TEXT_MAX);
  expect(text).not.toMatch(INVISIBLE);
  expect(JSON.stringify({ text, blocks }).isWellFormed()).toBe(true);
  expect(JSON.stringify({ text, blocks })).not.toMatch(/\\ud[89a-f]/);
  expect(blocks.length).toBeGreaterThan(0);
  if (ours.isHome) blockList(100).parse(blocks);
  else checkedBlocks(blocks);
  let length = 0;
  for (const { type, text: shown } of blocks.flatMap(textObjects)) {
    length += shown.length;
    expect(shown.trim()).not.toBe('');
    expect(shown.replaceAll('&', '&amp;').length).toBeLessThanOrEqual(limits.SECTION_TEXT_MAX);
    // Screen readers and notifications have nothing else.
    expect(text).toContain(type === 'mrkdwn' ? shown : escapeMrkdwn(shown));
    if (type === 'mrkdwn') expectOurs(shown);
  }
  expect(length).toBeLessThanOrEqual(limits.MESSAGE_BLOCKS_TEXT_MAX);
  for (const button of blocks.flatMap(buttonsOf)) {
    const { accessibility_label: label = '', value = '', url } = button;
    expect(label).not.toMatch(INVISIBLE);
    // Who cannot see what stands above it hears which job it is about.
    if (decodeButton(value) !== null) expect(label).toContain(button.text.text.replace(/…$/, ''));
    if (url !== undefined) expect(httpUrl(url)).toBe(url);
  }
}

function idsIn(given: readonly string[] = []): string[] {
  return given.filter((id) => /^[A-Z0-9]+$/.test(id));
}

function buttonsOf(block: KnownBlock): Button[] {
  const all = block.type === 'actions' ? block.elements : block.type === 'section' ? [block.accessory] : [];
  return all.flatMap((element) => (element?.type === 'button' ? [element] : []));
}

function textObjects(block: KnownBlock): { type: string; text: string }[] {
  if (block.type === 'section') return block.text ? [block.text] : [];
  if (block.type === 'header') return [block.text];
  if (block.type === 'rich_text') {
    return block.elements.flatMap((element) =>
      element.type === 'rich_text_quote' ? element.elements.filter((one) => one.type === 'text') : [],
    );
  }
  if (block.type !== 'context') return [];
  return block.elements.flatMap((element) => ('text' in element ? [element] : []));
}
