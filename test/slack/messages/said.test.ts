import { describe, expect, test } from 'vitest';
import { attachmentsIn, fitAttachments } from '../../../src/slack/messages/attachments.ts';
import { textOf } from '../../../src/slack/messages/said.ts';
import { readableText } from '../../../src/slack/protocol/slack-text.ts';
import { forwarded, forwardedInBlocks } from '../../support/app-messages.ts';

const said = (message: Parameters<typeof textOf>[0]) => readableText(textOf(message), new Map());
const quoted = (words: string) =>
  `Forwarded message from Alice:\n${words}\n(https://acme.slack.com/archives/C0SUPPORT/p1700000000000100?thread_ts=1&cid=C1)`;

describe('what a message says (F5)', () => {
  test.each([
    ['in its text', forwarded, 'The limit is *100* & not 60'],
    ['only in its blocks', forwardedInBlocks, 'The limit is 100 & not 60'],
  ])('a forwarded message, %s: once, with its author and address', (_where, attachment, words) => {
    const given = { text: 'Document this', attachments: [attachment] };
    expect(said(given)).toBe(`Document this\n\n${quoted(words)}`);
    expect(said({ ...given, text: '' })).toBe(quoted(words));
  });

  test('a forwarded list with mentions: once, with its numbers, and with the names that only the text has', () => {
    const item = (...elements: object[]) => ({ type: 'rich_text_section', elements });
    const channel = { type: 'channel', channel_id: 'C9' };
    const elements = [
      item({ type: 'text', text: 'Ask in ' }, channel),
      item({ type: 'user', user_id: 'U9' }),
    ];
    const list = { type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'ordered', elements }] };
    const attachment = {
      ...forwarded,
      text: 'Ask in <#C9|limits>\n<@U9|bob>',
      message_blocks: [{ message: { blocks: [list] } }],
    };
    expect(said({ text: '', attachments: [attachment] })).toBe(quoted('1. Ask in #limits\n2. @bob'));
  });

  test('a list whose deeper levels Slack counts by letters in its text, and by numbers in its blocks: once', () => {
    const item = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });
    const level = (indent: number, ...items: string[]) => {
      return { type: 'rich_text_list', style: 'ordered', indent, elements: items.map(item) };
    };
    const elements = [level(0, 'Stop it'), level(1, 'Ask Ann', 'Wait'), level(2, 'at night')];
    const blocks = [{ type: 'rich_text', elements }];
    const text = '1. Stop it\n    a. Ask Ann\n    b. Wait\n        i. at night';
    expect(said({ text, bot_id: 'B1', blocks })).toBe(text);
    const attachment = { ...forwarded, text, message_blocks: [{ message: { blocks } }] };
    expect(said({ text: '', attachments: [attachment] })).toBe(quoted(text));
  });

  test('a person by an app: once, also if only the text mentions the bot', () => {
    const elements = [{ type: 'text', text: 'Explain the limits' }];
    const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
    const text = '<@U0BOT> Explain the *limits*';
    expect(said({ text, bot_id: 'B1', blocks })).toBe('someone Explain the *limits*');
  });

  test('a short word of an app that is only part of another word is not taken for said', () => {
    const fields = [{ title: '', value: '1' }];
    expect(said({ text: 'Build 10 failed', bot_id: 'B1', attachments: [{ fields }] })).toBe(
      'Build 10 failed\n\n1',
    );
  });

  test('what a person typed is there once, however Slack has built it again in blocks', () => {
    const elements = [
      { type: 'text', text: 'Use ' },
      { type: 'link', url: 'https://acme.example', text: 'this' },
      { type: 'user', user_id: 'U2' },
    ];
    const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
    const text = 'Use <https://acme.example|this><@U2>';
    expect(textOf({ text, blocks })).toBe(text);
    expect(textOf({ text, bot_id: 'B1', blocks })).toBe(text);
    expect(textOf({ text: '', blocks })).toBe(text);
  });

  test('the words of an attachment have a limit, and are not cut in the middle of a character', () => {
    const text = '&amp;'.repeat(20_000);
    const words = said({ text: '', attachments: [{ text }] });
    expect(words).toMatch(/^&+…$/);
    expect(words.length).toBeLessThan(10_000);
    expect(textOf({ text: '', attachments: Array(100).fill({ text }) }).length).toBeLessThan(900_000);
  });

  test('a file that is described in no way takes no other with it', () => {
    const files = [null, 1, { mode: 'snippet', name: 'notes.txt', url_private: 'https://files.slack.com/1' }];
    const { snippets, others } = attachmentsIn({ text: '', files });
    expect(snippets.map(({ name }) => name)).toEqual(['notes.txt']);
    expect(others.map(({ kind }) => kind)).toEqual(['file', 'file']);
    expect(attachmentsIn({ text: '', files: 'none' })).toEqual({ snippets: [], others: [] });
  });

  test('pictures whose addresses do not fit into a form keep their names', () => {
    const files = Array.from({ length: 12 }, (_, index) => ({
      ...{ name: `picture-${index}.png`, mimetype: 'image/png' },
      url_private: `https://files.slack.com/${'x'.repeat(300)}/${index}`,
    }));
    const all = attachmentsIn({ text: '', files });
    const fitted = fitAttachments(all, 2_000);
    expect(JSON.stringify(fitted).length).toBeLessThan(2_100);
    expect(fitted.others.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    expect(fitted.others[0]).toEqual(all.others[0]);
    expect(fitAttachments(all, 10_000)).toBe(all);
  });

  test('nothing that comes from outside breaks it', () => {
    const deep = Array.from({ length: 5_000 }).reduce<unknown>(
      (inner) => [{ type: 'x', elements: inner }],
      1,
    );
    for (const odd of [
      null,
      1,
      'x',
      {},
      [null],
      [1],
      [{ type: 'rich_text', elements: deep }],
      [{ text: {} }],
    ]) {
      expect(textOf({ text: 'So', blocks: odd, attachments: odd })).toBe('So');
      expect(textOf({ bot_id: 'B1', blocks: odd, attachments: odd })).toBe('');
    }
    const forged = textOf({ text: '', attachments: [{ ...forwarded, author_name: '<!channel>\nBob' }] });
    expect(forged).toContain('from &lt;!channel&gt; Bob:');
  });
});
