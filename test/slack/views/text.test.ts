import { describe, expect, test } from 'vitest';
import { escapeMrkdwn } from '../../../src/slack/protocol/slack-text.ts';
import {
  asWritten,
  cut,
  cutEscaped,
  duration,
  fullDuration,
  httpUrl,
  titledPrompt,
} from '../../../src/slack/views/text.ts';
import { fc } from '../../support/properties.ts';
import { anyCharacter } from '../any-character.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

test.each([
  [-5, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [MINUTE_MS, '1 min'],
  [HOUR_MS - 1, '59 min'],
  [HOUR_MS, '1 h'],
  [2 * HOUR_MS + 10 * MINUTE_MS, '2 h 10 min'],
  [24 * HOUR_MS - 1, '23 h 59 min'],
  [48 * HOUR_MS, '2 d'],
  [76 * HOUR_MS, '3 d 4 h'],
])('%d ms are said as "%s"', (ms, said) => expect(duration(ms)).toBe(said));

test.each([
  [1_500, '1.5 seconds'],
  [1_000, '1 second'],
  [90_000, '90 seconds'],
  [60 * MINUTE_MS, '1 hour'],
  [36 * HOUR_MS, '36 hours'],
  [72 * HOUR_MS, '3 days'],
])('%d ms are "%s" in full', (ms, said) => expect(fullDuration(ms)).toBe(said));

const about = 'About this Slack message (https://acme.slack.com/archives/C1/p5?thread_ts=4.0&cid=C1):\n';

test.each([
  ['```\nsolo: 20\n```\nPut it there', 'Put it there', 'solo: 20'],
  ['```solo: 20\nteam: 50``` Put it there\nToday', 'Put it there', 'Today\nsolo: 20\nteam: 50'],
  ['```yaml\nsolo: 20\n```', 'solo: 20', null],
  ['```\nsolo: 20', 'solo: 20', null],
  ['```', '```', null],
  ['Put ```it``` there', 'Put ```it``` there', null],
  [`${about}> Where are\n> the rate limits?`, 'Where are', 'the rate limits?'],
  ['About this Slack message:\n> Where?\n\nSay it in the guide', 'Where?', 'Say it in the guide'],
  [`${about}\n> \n\nDocument the rate limits`, 'Document the rate limits', null],
  ['About this Slack message (in #docs):\n> Where?', 'About this Slack message (in #docs):', '> Where?'],
])(
  'a request is called by its words, or the message or code that it is about: %j (S3, T2)',
  (prompt, title, rest) => {
    expect(titledPrompt(prompt, new Map())).toEqual({ title, rest });
  },
);

describe('the signs of formatting in somebody else’s text', () => {
  /** A sign formats if it opens at the beginning or after one of these, and closes before one of these or at the end. */
  const BOUNDARY = '[\\s?.,\\-!^;:{(\\[%$#+=\\u2000-\\u206f"\']';
  const FORMATS = ['*', '_', '~', '`'].map(
    (sign) => new RegExp(`(?:^|${BOUNDARY})\\${sign}\\S(?:.*?\\S)?\\${sign}(?=$|${BOUNDARY})`),
  );

  test('format nothing, and it reads as it was written', () => {
    const text = fc.string({ unit: fc.constantFrom('*', '_', '~', '`', 'a', 'é', ' ', '.', '<') });
    fc.assert(
      fc.property(text, (title) => {
        const { mrkdwn } = asWritten(title);
        for (const format of FORMATS) expect(mrkdwn).not.toMatch(format);
        expect(mrkdwn.replaceAll('\u00ad', '').replaceAll('&lt;', '<')).toBe(title);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(['Explain max_retry_count', '2 * 3, a*b and ~', 'snake_case_ids'])(
    'stay as they are where they format nothing: %s',
    (title) => expect(asWritten(title).mrkdwn).toBe(title),
  );
});

describe('an address from the agent', () => {
  test.each([
    ['https://github.com/acme/docs/pull/7', 'https://github.com/acme/docs/pull/7'],
    ['HTTP://git.example:8080/mr/1?a=1&b=2#top', 'http://git.example:8080/mr/1?a=1&b=2#top'],
    ['https://a.example/x|y>z <b>', 'https://a.example/x%7Cy%3Ez%20%3Cb%3E'],
    ['https://gіthub.example/a', 'https://xn--gthub-n2e.example/a'],
    ['javascript:alert(1)', null],
    ['data:text/html,hi', null],
    ['slack://open', null],
    ['github.com/acme/docs/pull/7', null],
    ['https://github.com@evil.example/', null],
    ['https://user:secret@a.example/', null],
    ['https://:secret@a.example/', null],
    ['https://', null],
    ['', null],
    [`https://a.example/${'x'.repeat(3000)}`, null],
  ])('%.60s may become the link %s', (address, link) => expect(httpUrl(address)).toBe(link));

  test('never breaks the markup around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (tail) => {
        expect(httpUrl(`https://a.example/${tail}?${tail}#${tail}`) ?? '').not.toMatch(/[\s<>|]/);
      }),
    );
  });
});

describe('text that is too long', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('&', '<', '👩‍💻', '🇨🇭', 'e\u0301'),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    ),
    maxLength: 60,
  });

  test.each([
    ['12345', 5, '12345'],
    ['123456', 5, '1234…'],
    ['word another', 6, 'word…'],
    // Never inside what a reader sees as one character.
    ['ab👩‍💻cd', 6, 'ab…'],
    ['a🇨🇭🇨🇭b', 7, 'a🇨🇭…'],
    ['xe\u0301yz', 3, 'x…'],
  ])('ends in an ellipsis: %s in %i is %s', (long, max, cutText) => expect(cut(long, max)).toBe(cutText));

  test('is cut all the same if it is one endless character', () => {
    expect(cut(`😀${'\u0301'.repeat(40_000)}`, 1000)).toHaveLength(1000);
    for (const max of [998, 999, 1000]) expect(cut('\u200d😀'.repeat(20_000), max).isWellFormed()).toBe(true);
  });

  test('fits, also when escaped, stays well-formed, and keeps what fits', () => {
    expect(cutEscaped('a&b&c', 13)).toBe('a&b&c');
    expect(cutEscaped('a&b&c', 12)).toBe('a&b…');
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (long, limit) => {
        expect(cut(long, limit).length).toBeLessThanOrEqual(limit);
        expect(cut(long, limit).isWellFormed()).toBe(true);
        expect(escapeMrkdwn(cutEscaped(long, limit)).length).toBeLessThanOrEqual(limit);
        if (escapeMrkdwn(long).length <= limit) expect(cutEscaped(long, limit)).toBe(long);
      }),
    );
  });
});
