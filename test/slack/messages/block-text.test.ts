import { describe, expect, test } from 'vitest';
import { blockTexts } from '../../../src/slack/messages/blocks.ts';
import { limitsTable } from '../../support/app-messages.ts';
import { list, mrkdwn, plainText, raw, rich, section, shown, text } from './a-block.ts';

describe('a table is one of Markdown (R2)', () => {
  test('with its header, of text, numbers and rich text', () => {
    expect(shown(limitsTable)).toBe('| Plan | Requests |\n| --- | --- |\n| Solo | 20 |');
  });

  test('with links, mentions, emoji, dates, empty cells, bars, line ends, and rows of different lengths', () => {
    const date = { type: 'date', timestamp: 1_700_000_000, format: '{date}', fallback: '14 November' };
    const rows = [
      [raw('a|b'), raw('c\nd')],
      [
        rich(section({ type: 'link', url: 'https://a.example/?x|y', text: 'the|docs' }, text(' '), date)),
        rich(section({ type: 'user', user_id: 'U1' }, text(' in '), { type: 'channel', channel_id: 'C1' })),
        rich(section({ type: 'emoji', name: 'tada' }), {
          type: 'rich_text_preformatted',
          elements: [text('x\ny')],
        }),
      ],
      [null, {}, raw('')],
      [rich(list('ordered', section(text('one')), section(text('two'))))],
    ];
    expect(shown({ type: 'table', rows }).split('\n')).toEqual([
      '| a\\|b | c<br>d |  |',
      '| --- | --- | --- |',
      '| the\\|docs (https://a.example/?x%7Cy) 14 November | @Ann in #limits | :tada:<br>`x<br>y` |',
      '|  |  |  |',
      '| 1. one<br>2. two |  |  |',
    ]);
  });

  test('a data table has its caption above, and stands between blank lines', () => {
    const rows = [[raw('Plan')], [{ type: 'raw_number', value: 0, text: '' }]];
    const header = { type: 'header', text: plainText('Limits') };
    expect(shown(header, { type: 'data_table', caption: 'By plan', rows }, header)).toBe(
      'Limits\nBy plan\n\n| Plan |\n| --- |\n| 0 |\n\nLimits',
    );
  });

  test('without a word it is nothing', () => {
    for (const rows of [[], [[]], [[raw(' ')], [null]], null, 'x', [[{ type: 'raw_number' }]]]) {
      expect(blockTexts([{ type: 'table', rows }])).toEqual([]);
    }
  });
});

const ticks = [
  { text: plainText('a'), value: '1' },
  { text: plainText('b'), value: '2' },
];
const card = { type: 'card', title: mrkdwn('a') };

test.each<[string, unknown, string]>([
  [
    'a section with fields and a button',
    {
      type: 'section',
      fields: [plainText('a < b'), mrkdwn('*c*')],
      text: plainText('d'),
      accessory: { type: 'button', text: plainText('Open'), url: 'https://a.example' },
    },
    'd\na < b\n*c*\nOpen (https://a.example)',
  ],
  [
    'controls',
    {
      type: 'actions',
      elements: [
        { type: 'button', text: plainText('Silence'), value: 'x' },
        { type: 'static_select', options: [{ text: plainText('a') }] },
        { type: 'overflow', options: [{ text: plainText('More'), url: 'https://a.example' }] },
      ],
    },
    'More (https://a.example)',
  ],
  [
    'a list to tick off',
    {
      type: 'actions',
      elements: [{ type: 'checkboxes', options: ticks, initial_options: [{ value: '2' }] }],
    },
    '• [ ] a\n• [x] b',
  ],
  [
    'a context',
    {
      type: 'context',
      elements: [{ type: 'image', image_url: 'x', alt_text: 'Ann' }, mrkdwn('since 9:12')],
    },
    '[image: Ann]\nsince 9:12',
  ],
  [
    'a picture',
    { type: 'image', image_url: 'https://a.example/x.png', title: plainText('Overview'), alt_text: 'boxes' },
    '[image: Overview · boxes]',
  ],
  [
    'a film',
    {
      type: 'video',
      title: plainText('Demo'),
      title_url: 'https://a.example/v',
      description: plainText('Two minutes'),
      alt_text: 'x',
      thumbnail_url: 'y',
    },
    'Demo (https://a.example/v)\nTwo minutes',
  ],
  [
    'a card',
    {
      type: 'card',
      actions: [{ type: 'button', text: plainText('Go'), url: 'https://a.example' }],
      body: mrkdwn('body'),
      title: mrkdwn('title'),
      subtitle: mrkdwn('subtitle'),
    },
    'title\nsubtitle\nbody\nGo (https://a.example)',
  ],
  ['cards side by side', { type: 'carousel', elements: [card, { ...card, title: mrkdwn('b') }] }, 'a\nb'],
  ['an alert', { type: 'alert', level: 'error', text: plainText('Down') }, 'Down'],
  [
    'a task',
    {
      type: 'task_card',
      task_id: 't1',
      title: 'Look',
      status: 'in_progress',
      details: rich(section(text('into it'))),
      output: rich(section(text('done'))),
      sources: [{ type: 'url', url: 'https://a.example', text: 'a' }],
    },
    'Look (in progress)\ninto it\ndone\na (https://a.example)',
  ],
  ['Markdown', { type: 'markdown', text: '# a < b & c' }, '# a < b & c'],
  [
    'a question',
    {
      type: 'input',
      label: plainText('Why?'),
      hint: plainText('Briefly'),
      element: { type: 'plain_text_input', action_id: 'x' },
    },
    'Why?\nBriefly',
  ],
  [
    'a file from elsewhere',
    { type: 'file', external_id: 'x', source: 'remote', file: { title: 'Plan', mimetype: 'y' } },
    '[file: Plan]',
  ],
  [
    'a call',
    {
      type: 'call',
      call_id: 'R1',
      call: { v1: { id: 'R1', name: 'Stand-up', join_url: 'https://a.example' } },
    },
    '[call: Stand-up]',
  ],
  ['a line between', { type: 'divider', block_id: 'x' }, ''],
  ['a new field of a known block', { type: 'header', text: plainText('a'), footer: plainText('b') }, 'a\nb'],
])('%s (R2)', (_what, block, expected) => {
  expect(shown(block)).toBe(expected);
});
