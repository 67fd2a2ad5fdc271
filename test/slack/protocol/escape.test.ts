import { describe, expect, test } from 'vitest';
import { escapeMrkdwn, unescapeMrkdwn } from '../../../src/slack/protocol/escape.ts';
import { fc } from '../../support/properties.ts';

describe('text put into markup', () => {
  test('cannot call a channel, mention a person, or hide where a link leads', () => {
    expect(escapeMrkdwn('<!channel> <@U1> <https://evil.example|our docs>')).toBe(
      '&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|our docs&gt;',
    );
  });

  test('is escaped nowhere else', () => {
    expect(escapeMrkdwn('*bold* "quoted" it\'s 100% fine & done')).toBe(
      '*bold* "quoted" it\'s 100% fine &amp; done',
    );
  });

  test('comes back as it was, also when it looks escaped already', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', 'amp;', 'lt;', 'a') }), (text) => {
        expect(unescapeMrkdwn(escapeMrkdwn(text))).toBe(text);
      }),
    );
  });
});
