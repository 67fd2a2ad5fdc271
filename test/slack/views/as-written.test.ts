import { expect, test } from 'vitest';
import { asWritten } from '../../../src/slack/views/text.ts';
import { fc } from '../../support/properties.ts';

/** A sign formats if it opens at the beginning or after one of these, and closes before one of these or at the end. */
const BOUNDARY = '[\\s?.,\\-!^;:{(\\[%$#+=\\u2000-\\u206f"\']';
const FORMATS = ['*', '_', '~', '`'].map(
  (sign) => new RegExp(`(?:^|${BOUNDARY})\\${sign}\\S(?:.*?\\S)?\\${sign}(?=$|${BOUNDARY})`),
);

test('the signs of formatting in somebody else’s text format nothing, and it reads as it was written', () => {
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

test('nor do they end the formatting around it', () => {
  const text = fc.string({ unit: fc.constantFrom('*', '_', 'a', ' ', '.'), minLength: 1 });
  fc.assert(
    fc.property(
      text.filter((title) => /^\w(.*\w)?$/.test(title)),
      (title) => {
        const { mrkdwn } = asWritten(title);
        const [bold] = /^\*\S(?:.*?\S)?\*(?=$|[\s?.,])/.exec(`*${mrkdwn}*`) ?? [];
        expect(bold).toBe(`*${mrkdwn}*`);
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each(['Explain max_retry_count', '2 * 3, a*b and ~', 'snake_case_ids'])(
  '%s has nothing that formats, and stays as it is',
  (title) => expect(asWritten(title).mrkdwn).toBe(title),
);
