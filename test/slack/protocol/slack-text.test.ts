import { describe, expect, test } from 'vitest';
import { unescaped } from '../../../src/jobs/requests/command.ts';
import {
  escapeMrkdwn,
  mentionedIds,
  mentionedUserIds,
  readableText,
  stripLeadingMention,
} from '../../../src/slack/protocol/slack-text.ts';
import { fc } from '../../support/properties.ts';
import { anyCharacter } from '../any-character.ts';

const names = new Map([
  ['U1', 'Ann'],
  ['U3', 'Ann | Acme'],
  ['C2', 'limits'],
  ['S2', 'writers'],
]);

describe('what a person typed (R1, S6)', () => {
  test.each([
    ['a person whose name is known', 'ask <@U1>', 'ask @Ann'],
    ['a person with a newer name than the label', 'ask <@U1|old-ann>', 'ask @Ann'],
    ['a person known by the label only', 'ask <@U2|bob>', 'ask @bob'],
    ['a person not known', 'ask <@U2>', 'ask someone'],
    ['a channel', 'see <#C1|general>', 'see #general'],
    ['a private channel without a name', 'see <#C1|>', 'see a channel'],
    ['a user group', 'tell <!subteam^S1|@writers>', 'tell @writers'],
    ['a user group without a label', 'tell <!subteam^S1>', 'tell a user group'],
    ['a channel and a user group whose names are known', '<#C2> <!subteam^S2>', '#limits @writers'],
    [
      'a name with a bar in a table, where it would end a cell',
      '| <@U3> |\n<@U3>',
      '| @Ann \\| Acme |\n@Ann | Acme',
    ],
    ['everybody here', '<!here> <!channel|channel> <!everyone>', '@here @channel @everyone'],
    ['a date', 'by <!date^1700000000^{date}|14 November>', 'by 14 November'],
    ['a date without words', 'by <!date^1700000000^{date}>', 'by 2023-11-14 22:13 UTC'],
    ['a link', 'see <https://a.example/b?c=1&amp;d=2>', 'see https://a.example/b?c=1&d=2'],
    ['a link with words', '<https://a.example|the &lt;docs&gt;>', 'the <docs> (https://a.example)'],
    ['a link that Slack made of a bare host', '<http://a.example|a.example>', 'a.example'],
    ['a link that Slack made of a file name', '<http://README.md|README.md>', 'README.md'],
    ['one with a path', 'in <http://docs/setup.py|docs/setup.py>:', 'in docs/setup.py:'],
    ['one that Slack wrote differently', '<http://readme.md/|README.md>', 'README.md'],
    ['one with other letters', '<http://docs.rs/%C3%BC|docs.rs/ü>', 'docs.rs/ü'],
    ['one that is more than its label', '<http://setup.py/a|setup.py>', 'setup.py (http://setup.py/a)'],
    ['a telephone number', '<tel:+491234|+49 1234>', '+49 1234'],
    ['a link with itself as words', '<https://a.example/|https://a.example>', 'https://a.example/'],
    ['a mail address', '<mailto:a@b.example|a@b.example>', 'a@b.example'],
    ['a mail address with words', '<mailto:a@b.example|write us>', 'write us (a@b.example)'],
    ['comparison signs and entities', 'if a &lt; b &amp;&amp; c &gt; d', 'if a < b && c > d'],
    ['text about entities', 'document &amp;lt; and &amp;amp;', 'document &lt; and &amp;'],
    ['a token typed as text', 'document &lt;!channel&gt; and &lt;@U1&gt;', 'document <!channel> and <@U1>'],
    ['text that was never escaped', 'if a < b and c > d', 'if a < b and c > d'],
  ])('%s', (_case, slackText, meant) => {
    expect(readableText(slackText, names)).toBe(meant);
  });

  test('plain text comes through Slack unchanged', () => {
    const typed = fc.string({
      unit: fc.oneof(anyCharacter, words),
    });
    fc.assert(fc.property(typed, (text) => readableText(escapeMrkdwn(text), names) === text));
  });
});

describe('who is mentioned', () => {
  test('each person once, in order', () => {
    expect(mentionedUserIds('<@U2> and <@U1|ann> and <@U2>, not &lt;@U3&gt; or <#C1|x>')).toEqual([
      'U2',
      'U1',
    ]);
  });
});

test('what is to be looked up: people, and what else has no label', () => {
  const text = '<@U1|ann> <#C1|limits> <#C2> <#C3|> <!subteam^S1> <!subteam^S2|@writers> <!here> <#C2>';
  expect(mentionedIds(text)).toEqual(['U1', 'C2', 'C3', 'S1']);
});

describe('a message that starts with a mention of the bot', () => {
  test.each([['<@B1> fix the docs'], ['  <@B1|docs-agent>: fix the docs'], ['<@B1>,\nfix the docs']])(
    '%j is the request without it',
    (text) => {
      expect(stripLeadingMention(text, 'B1')).toBe('fix the docs');
    },
  );

  test('keeps other mentions', () => {
    expect(stripLeadingMention('<@U1> said so', 'B1')).toBe('<@U1> said so');
    expect(stripLeadingMention('<@B1> ask <@B1>', 'B1')).toBe('ask <@B1>');
    expect(stripLeadingMention('hey <@B1>', 'B1')).toBe('hey <@B1>');
  });
});

const words = fc.constantFrom('<', '>', '&', '&lt;', '&amp;', '<!channel>', '<@U1>', '<https://a.example|b>');

describe('text put into markup', () => {
  test('cannot call a channel, mention a person, or hide where a link leads', () => {
    expect(escapeMrkdwn('<!channel> <@U1> <https://evil.example|our docs>')).toBe(
      '&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|our docs&gt;',
    );
  });

  test('comes back as it was, even when it looks escaped already', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', 'amp;', 'lt;', 'a') }), (text) => {
        expect(unescaped(escapeMrkdwn(text))).toBe(text);
      }),
    );
  });
});
