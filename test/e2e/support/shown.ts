import { expect } from 'vitest';
import {
  ACTIONS_ELEMENTS_MAX,
  BUTTON_TEXT_MAX,
  BUTTON_URL_MAX,
  BUTTON_VALUE_MAX,
  CONTEXT_ELEMENTS_MAX,
  MESSAGE_BLOCKS_MAX,
  MESSAGE_BLOCKS_TEXT_MAX,
  MESSAGE_TEXT_MAX,
  SECTION_TEXT_MAX,
} from '../../support/strict-slack/limits.ts';
import type { World } from './world.ts';

/** What the program asked Slack to show, or answered to a command. */
interface Shown {
  readonly text: string;
  readonly blocks: readonly Block[];
}

interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly text?: TextObject;
  readonly elements?: readonly Element[];
}

interface TextObject {
  readonly type: string;
  readonly text: string;
}

interface Element {
  readonly type: string;
  readonly text?: string | TextObject;
  readonly value?: string;
  readonly url?: string;
}

/** All messages and edits that the program sent so far, and its answers to commands over Socket Mode. */
export function shownBy(world: World): Shown[] {
  const calls = ['chat.postMessage', 'chat.update'].flatMap((method) =>
    world.proxy.calls(method).map(({ args }) => args),
  );
  const answers = world.proxy.socket.acks().map(({ payload }) => payload);
  for (const call of calls) {
    // They would make mentions and links of plain words.
    expect(call).not.toHaveProperty('parse');
    expect(call).not.toHaveProperty('link_names');
  }
  return [...calls, ...answers].filter(isShown);
}

function isShown(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && 'text' in value && 'blocks' in value;
}

/**
 * Slack can show it, and it holds nothing live but what is ours: mentions of `users`, names of channels, times.
 */
export function expectHarmless(shown: Shown, users: readonly string[]): void {
  expectNothingForeign(shown, users);
  expectWithinLimits(shown);
}

function expectNothingForeign(shown: Shown, users: readonly string[]): void {
  const markup = [
    shown.text,
    ...textsOf(shown).flatMap(({ type, text }) => (type === 'mrkdwn' ? [text] : [])),
  ];
  for (const text of markup) {
    const tokens = text.match(/<[^>]*>?/g) ?? [];
    const foreign = tokens.filter(
      (token) =>
        !users.includes(token.slice(2, -1)) &&
        !/^<(?:#C[A-Z0-9]+|!date\^\d+\^(?:\{ago\}|(?:\{date_short_pretty\} )?\{time\})\|[\d: -]+ UTC)>$/.test(
          token,
        ),
    );
    expect(foreign, text).toEqual([]);
  }
  for (const { text } of [...textsOf(shown), shown]) {
    expect(text).toBe(text.toWellFormed());
    expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  }
}

function expectWithinLimits({ text, blocks }: Shown): void {
  const texts = textsOf({ text, blocks });
  expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
  expect(text.trim()).not.toBe('');
  expect(blocks.length).toBeLessThanOrEqual(MESSAGE_BLOCKS_MAX);
  expect(texts.reduce((sum, part) => sum + part.text.length, 0)).toBeLessThanOrEqual(MESSAGE_BLOCKS_TEXT_MAX);
  for (const part of texts) {
    expect(part.text.length).toBeGreaterThan(0);
    expect(part.text.length).toBeLessThanOrEqual(SECTION_TEXT_MAX);
  }
  for (const { type, block_id = '', elements = [] } of blocks) {
    expect(block_id.length).toBeLessThanOrEqual(255);
    expect(elements.length).toBeLessThanOrEqual(
      type === 'actions' ? ACTIONS_ELEMENTS_MAX : CONTEXT_ELEMENTS_MAX,
    );
    for (const element of elements.filter((candidate) => candidate.type === 'button')) {
      expect(typeof element.text === 'object' ? element.text.text.length : 0).toBeLessThanOrEqual(
        BUTTON_TEXT_MAX,
      );
      expect((element.value ?? '').length).toBeLessThanOrEqual(BUTTON_VALUE_MAX);
      expect((element.url ?? '').length).toBeLessThanOrEqual(BUTTON_URL_MAX);
    }
  }
}

function textsOf({ blocks }: Shown): TextObject[] {
  return blocks.flatMap(({ text, elements = [] }) => [
    ...(text === undefined ? [] : [text]),
    ...elements.flatMap((element) => {
      if (typeof element.text === 'object') return [element.text];
      return element.text === undefined ? [] : [{ type: element.type, text: element.text }];
    }),
  ]);
}
