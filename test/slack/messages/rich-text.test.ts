import { expect, test } from 'vitest';
import { runbook } from '../../support/app-messages.ts';
import { list, rich, section, shown, text } from './a-block.ts';

test('a runbook keeps numbers, nesting, code, quotation, struck words and addresses (R2)', () => {
  expect(shown(...runbook)).toBe(
    [
      'Restart the worker:',
      '1. Drain it',
      '2. Restart it',
      '    • only at night',
      '3. Check the log',
      '```bash',
      'kubectl rollout restart',
      '```',
      '> ask Ann first',
      'Wait ~ten~ five minutes, see `status`',
      'Open the dashboard (https://grafana.example/d/1)',
    ].join('\n'),
  );
});

test.each<[string, unknown, string]>([
  [
    'struck words over several parts',
    rich(
      section(text('a '), text('b ', { strike: true }), text('c', { strike: true, bold: true }), text(' d')),
    ),
    'a ~b c~ d',
  ],
  ['struck lines', rich(section(text('a\n b \n', { strike: true }), text('c'))), '~a~\n ~b~ \nc'],
  ['code with a backtick', rich(section(text('a`b', { code: true }))), '``a`b``'],
  [
    'a list in a quotation',
    rich({ ...list('bullet', section(text('a')), section(text('b'))), border: 1 }),
    '> • a\n> • b',
  ],
  [
    'an item of two lines',
    rich({ ...list('ordered', section(text('a\nb'))), offset: 9, indent: 1 }),
    '    10. a\n        b',
  ],
  [
    'a list in a list',
    rich(list('ordered', section(text('a')), list('bullet', section(text('b'))))),
    '1. a\n    • b',
  ],
  ['a quotation of two lines', rich({ type: 'rich_text_quote', elements: [text('a\nb')] }), '> a\n> b'],
  [
    'code that holds a fence',
    rich({ type: 'rich_text_preformatted', elements: [text('```\nx\n```')] }),
    '````\n```\nx\n```\n````',
  ],
  [
    'who and where',
    rich(
      section(
        { type: 'user', user_id: 'U1' },
        { type: 'usergroup', usergroup_id: 'S1' },
        { type: 'channel', channel_id: 'C9' },
        { type: 'broadcast', range: 'here' },
      ),
    ),
    '@Ann@writersa channel@here',
  ],
  [
    'a colour, and a date without words',
    rich(section({ type: 'color', value: '#ff0000' }, text(' '), { type: 'date', timestamp: 0 })),
    '#ff0000 1970-01-01 00:00 UTC',
  ],
  [
    'a file name of which Slack made a link',
    rich(section({ type: 'link', url: 'http://README.md', text: 'README.md' })),
    'README.md',
  ],
  [
    'a part of a line that is not known',
    rich(section({ type: 'citation', url: 'https://a.example', text: 'the source' })),
    'the source (https://a.example)',
  ],
])('%s (R2)', (_what, block, expected) => {
  expect(shown(block)).toBe(expected);
});
