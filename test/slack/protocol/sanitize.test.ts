import { describe, expect, test } from 'vitest';
import { displayText, sanitize } from '../../../src/slack/protocol/slack-text.ts';
import { fc } from '../../support/properties.ts';
import { anyCharacter } from '../any-character.ts';

describe('text taken in', () => {
  test('loses what a database or a terminal could not bear', () => {
    expect(sanitize('a\u0000b\u001b[31mc\u0007\u009bd\u007f')).toBe('ab[31mcd');
  });

  test('is always well-formed and without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        const clean = sanitize(text);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(sanitize(clean)).toBe(clean);
      }),
    );
  });
});

describe('text shown', () => {
  test('cannot run backwards', () => {
    expect(displayText('safe \u202etxt.exe\u202c and \u2066more\u2069')).toBe('safe txt.exe and more');
  });

  test('cannot push the rest off the screen', () => {
    expect(displayText('\n\n\nabove\n\n \n\u200b\n\t\n\nbelow\n\n\n')).toBe('above\n\nbelow');
  });
});
