import { describe, expect, test } from 'vitest';
import { isBlank, judgePrompt } from '../../../src/jobs/requests/command.ts';
import { fc } from '../../support/properties.ts';

const invisible = {
  nothing: '',
  'spaces and line ends': ' \t\r\n',
  'no-break and wide spaces': '\u00a0\u2003\u3000',
  'zero-width characters': '\u200b\u200c\u200d\u2060\ufeff',
  'right-to-left marks': '\u200f\u202e\u2067\u2069',
  'soft hyphens': '\u00ad',
  'variation selectors': '\ufe0f',
  'Hangul fillers': '\u115f\u3164',
  'Braille blanks': '\u2800',
  'control characters': '\u0000\u001b\u007f',
  'tag characters': '\u{e0041}',
};

describe('a person sees nothing in', () => {
  test.each(Object.entries(invisible))('%s', (_name, text) => {
    expect(isBlank(text)).toBe(true);
    expect(judgePrompt(text, 100)).toEqual({ kind: 'empty' });
  });

  test('any mix of these', () => {
    const anyMix = fc.array(fc.constantFrom(...Object.values(invisible))).map((parts) => parts.join(''));
    fc.assert(fc.property(anyMix, (text) => isBlank(text)));
  });
});

describe('a person sees something in', () => {
  test.each(['x', '.', '0', '👍', '👩‍💻', '❤️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'שלום', '\u202eabc', '⠁', '文'])('%s', (text) => {
    expect(isBlank(text)).toBe(false);
    expect(judgePrompt(text, 100)).toEqual({ kind: 'ok' });
  });

  test('a visible character among invisible ones', () => {
    expect(isBlank(`\u200b\u2800x${invisible['right-to-left marks']}`)).toBe(false);
  });
});

describe('the length of a prompt', () => {
  test('may reach the limit', () => {
    expect(judgePrompt('x'.repeat(20_000), 20_000)).toEqual({ kind: 'ok' });
  });

  test('may not pass it, and the verdict says both', () => {
    expect(judgePrompt('x'.repeat(20_001), 20_000)).toEqual({
      kind: 'too_long',
      length: 20_001,
      maxLength: 20_000,
    });
  });

  test('does not matter if there is nothing to see', () => {
    expect(judgePrompt(' '.repeat(50), 10)).toEqual({ kind: 'empty' });
  });
});
