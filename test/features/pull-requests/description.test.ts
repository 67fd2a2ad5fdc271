import { expect, test } from 'vitest';
import { firstParagraph } from '../../../src/features/pull-requests/dialect.ts';
import { lookingAt, START_MS } from './hosts.ts';

test.each([
  ['one paragraph', 'Adds a quickstart\nfor the CLI.\n\nAnd more.', 'Adds a quickstart for the CLI.'],
  ['below a heading', '# Summary\n\nAdds a quickstart.', 'Adds a quickstart.'],
  [
    'below a heading without an empty line',
    '## What\nAdds a quickstart.\n## Why\nAsked for.',
    'Adds a quickstart.',
  ],
  [
    'below what a template asks',
    '<!-- Describe\n\nyour change -->\n- [x] Read\n- [ ] Signed\n\nDone.',
    'Done.',
  ],
  ['below a badge, a table, a rule and code', '![b](https://x)\n| a |\n---\n```\nnpm i\n```\nDone.', 'Done.'],
  ['with markup', 'Adds **a** `quick` [start](https://x.example) ![i](https://y)', 'Adds a quick start'],
  ['only a list', '- one\n- two', null],
  ['an open comment', 'Done.\n\n<!-- more', 'Done.'],
  ['nothing', ' \n\r\n ', null],
])('the first paragraph of prose in a description: %s (W6)', (_, markdown, expected) => {
  expect(firstParagraph(markdown)).toBe(expected);
});

test('it is cut between words', () => {
  const cut = firstParagraph('word '.repeat(100)) ?? '';
  expect(cut).toMatch(/^(?:word )+word…$/);
  expect(cut.length).toBeLessThanOrEqual(300);
});

test.each(['github', 'gitlab'] as const)(
  'a pull request is described by title, state, size and times: %s (P1)',
  async (kind) => {
    await using at = await lookingAt(kind);
    const [title, description] = ['Add a *quickstart*', '## What\n\nA **first** step.'];
    const pull = at.host.open({ repository: 'acme/docs', title, description });
    await at.clock.advance(60_000);
    pull.push();
    expect(await at.facts(pull)).toEqual({
      title,
      description: 'A first step.',
      state: 'open',
      openedAtMs: START_MS,
      updatedAtMs: START_MS + 60_000,
      size: { files: 3, lines: { added: 120, removed: 8 } },
      pages: ['page-0.md', 'page-1.md', 'page-2.md'],
    });
  },
);
