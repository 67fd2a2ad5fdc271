import { describe, expect, test } from 'vitest';
import { escapeMrkdwn } from '../../../src/slack/protocol/slack-text.ts';
import { cut, cutEscaped } from '../../../src/slack/views/text.ts';
import { fc } from '../../support/properties.ts';

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('&', '<', '👩‍💻', '🇨🇭', 'e\u0301'),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  ),
  maxLength: 60,
});
const limits = fc.integer({ min: 1, max: 60 });

describe('text that is too long', () => {
  test('ends in an ellipsis, text that fits is left alone', () => {
    expect(cut('12345', 5)).toBe('12345');
    expect(cut('123456', 5)).toBe('1234…');
    expect(cut('word another', 6)).toBe('word…');
  });

  test('is never cut inside what a reader sees as one character', () => {
    expect(cut('ab👩‍💻cd', 6)).toBe('ab…');
    expect(cut('a🇨🇭🇨🇭b', 7)).toBe('a🇨🇭…');
    expect(cut('xe\u0301yz', 3)).toBe('x…');
  });

  test('is cut all the same if it is one endless character', () => {
    const zalgo = `😀${'\u0301'.repeat(40_000)}`;
    expect(cut(zalgo, 1000)).toHaveLength(1000);
    for (const max of [998, 999, 1000]) {
      expect(cut('\u200d😀'.repeat(20_000), max).isWellFormed()).toBe(true);
    }
  });

  test('fits, and stays well-formed', () => {
    fc.assert(
      fc.property(text, limits, (long, limit) => {
        expect(cut(long, limit).length).toBeLessThanOrEqual(limit);
        expect(cut(long, limit).isWellFormed()).toBe(true);
      }),
    );
  });

  test('fits even when escaped, and keeps what fits', () => {
    expect(cutEscaped('a&b&c', 13)).toBe('a&b&c');
    expect(cutEscaped('a&b&c', 12)).toBe('a&b…');
    fc.assert(
      fc.property(text, limits, (long, limit) => {
        expect(escapeMrkdwn(cutEscaped(long, limit)).length).toBeLessThanOrEqual(limit);
        if (escapeMrkdwn(long).length <= limit) expect(cutEscaped(long, limit)).toBe(long);
      }),
    );
  });
});
