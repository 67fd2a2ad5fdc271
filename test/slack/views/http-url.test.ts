import { describe, expect, test } from 'vitest';
import { httpUrl } from '../../../src/slack/views/text.ts';
import { fc } from '../../support/properties.ts';
import { anyCharacter } from '../any-character.ts';

describe('an address from the agent', () => {
  test.each([
    ['https://github.com/acme/docs/pull/7', 'https://github.com/acme/docs/pull/7'],
    ['HTTP://git.example:8080/mr/1?a=1&b=2#top', 'http://git.example:8080/mr/1?a=1&b=2#top'],
    ['https://a.example/x|y>z <b>', 'https://a.example/x%7Cy%3Ez%20%3Cb%3E'],
    ['https://gіthub.example/a', 'https://xn--gthub-n2e.example/a'],
  ])('%s may become a link', (address, link) => expect(httpUrl(address)).toBe(link));

  test.each([
    'javascript:alert(1)',
    'data:text/html,hi',
    'slack://open',
    'github.com/acme/docs/pull/7',
    'https://github.com@evil.example/',
    'https://user:secret@a.example/',
    'https://:secret@a.example/',
    'https://',
    '',
  ])('%s may not', (address) => expect(httpUrl(address)).toBeNull());

  test('that is too long for a button may not', () => {
    expect(httpUrl(`https://a.example/${'x'.repeat(3000)}`)).toBeNull();
  });

  test('never breaks the markup around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (tail) => {
        expect(httpUrl(`https://a.example/${tail}?${tail}#${tail}`) ?? '').not.toMatch(/[\s<>|]/);
      }),
    );
  });
});
