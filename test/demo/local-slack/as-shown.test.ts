import { describe, expect, test } from 'vitest';
import { asShown, formAsShown } from '../../../demo/local-slack/as-shown.ts';
import { fc } from '../../support/properties.ts';

const at = new Date(2026, 10, 20, 9, 5);
const date = `<!date^${at.getTime() / 1000}^{time}|14:05 UTC>`;

describe('the page of the local Slack shows', () => {
  test('a time of day instead of date markup', () => {
    expect(asShown(`⏳ until ${date}, then ${date}`)).toBe('⏳ until 09:05, then 09:05');
  });

  test('a date instead of date markup', () => {
    const moment = date.replace('{time}', '{date_short_pretty} {time}');
    expect(asShown(`asked ${moment}`)).toBe('asked Nov 20, 2026 09:05');
  });

  test('the same in views', () => {
    const view = { type: 'home', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: date } }] };
    const form = new URLSearchParams(
      formAsShown(new URLSearchParams({ view: JSON.stringify(view) }).toString()),
    );
    expect(form.get('view')).toContain('"text":"09:05"');
  });

  test('quotations, which it does not know, as words that cannot become markup', () => {
    const quote = { type: 'rich_text_quote', elements: [{ type: 'text', text: 'one & two\n<@U1>' }] };
    const blocks = JSON.stringify([{ type: 'rich_text', elements: [quote] }]);
    const form = new URLSearchParams(formAsShown(new URLSearchParams({ blocks }).toString()));
    expect(JSON.parse(form.get('blocks') ?? '')).toEqual([
      { type: 'section', text: { type: 'mrkdwn', text: '> one & two\n> &lt;@U1&gt;' } },
    ]);
  });

  test.each([
    ['a &lt;b&gt; &amp; c', 'a <b> & c'],
    ['&amp;lt; is an entity', '&lt; is an entity'],
    ['<@U1> 1 &lt; 2', '<@U1> 1 < 2'],
    ['<https://a.example/?a=1&amp;b=2>', '<https://a.example/?a=1&b=2>'],
  ])('characters instead of entities: %s', (sent, shown) => expect(asShown(sent)).toBe(shown));

  test.each([
    '&lt;@U1&gt;',
    '&lt;#C1&gt;',
    '&lt;!here&gt;',
    '&lt;https://evil.example|ours&gt;',
    'a\n&gt; b',
  ])('entities where the characters would be markup: %s', (sent) => expect(asShown(sent)).toBe(sent));

  test('no markup that was not sent', () => {
    const pieces = fc.constantFrom(
      '&lt;',
      '&gt;',
      '&amp;',
      'lt;',
      '@U1',
      '#C1',
      '|',
      '\n',
      ' ',
      'https://a.example',
      '<@U1>',
      '<https://a.example/?a&amp;b>',
      date,
    );
    const tokens = (text: string) => text.match(/<(?:[@#!]|https?:[^\s|>]*\||https?:)[^<>]*>|^>/gm) ?? [];
    fc.assert(
      fc.property(fc.array(pieces), (sent) => {
        const ours = sent.filter((piece) => piece.startsWith('<') && piece !== date);
        const decoded = ours.map((token) => token.replaceAll('&amp;', '&'));
        expect(tokens(asShown(sent.join('')))).toEqual(decoded);
      }),
    );
  });
});

test('of a message only what is read as markup is changed', () => {
  const blocks = [
    { type: 'section', text: { type: 'plain_text', text: `as it is: &lt; ${date}`, emoji: true } },
    { type: 'context', elements: [{ type: 'mrkdwn', text: `a &lt; b at ${date}`, verbatim: true }] },
  ];
  const form = new URLSearchParams({ channel: 'C1', text: `x &amp; y`, blocks: JSON.stringify(blocks) });

  const shown = new URLSearchParams(formAsShown(form.toString()));

  expect([...shown.keys()]).toEqual(['channel', 'text', 'blocks']);
  expect(shown.get('text')).toBe('x & y');
  expect(JSON.parse(shown.get('blocks') ?? '')).toEqual([
    blocks[0],
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'a < b at 09:05', verbatim: true }] },
  ]);
});
