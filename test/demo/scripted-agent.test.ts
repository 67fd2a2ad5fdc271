import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Page, workOn } from '../../demo/agent/edits.ts';

const folder = join(import.meta.dirname, '../../demo/repositories/docs');
const pages: readonly Page[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
const before = (path: string) => pages.find((page) => page.path === path)?.text ?? '';
const edited = (request: string, current: string | null = null) =>
  workOn(request, pages, current).edits.map(({ path, text }) => ({
    path,
    added: text.replace(before(path), ''),
  }));

test('a page that is asked for is put together from others, and linked from the index', () => {
  const [page, index] = workOn('Please add a quickstart', pages, null).edits;
  expect(page?.path).toBe('docs/quickstart.md');
  expect(page?.text).toMatch(/^# Quickstart\n/);
  expect(page?.text).toContain('npm install --global @acme/relay');
  expect(page?.text).toContain('[Configuration](configuration.md)');
  expect(index?.text).toContain('- [Quickstart](quickstart.md)\n- [Installation](installation.md)');
});

test.each([
  ['Explain how to find slow queries in the log', 'docs/logging.md', '## Find slow queries in the log'],
  ['Document the webhooks', 'docs/webhooks.md', '## Webhooks'],
  ['Document release "2.1"', 'docs/changelog.md', '## Release "2.1"'],
  ['slow: Write about the holidays', 'README.md', 'To be written'],
])('“%s” becomes a section of %s', (request, path, text) => {
  expect(edited(request)).toEqual([{ path, added: expect.stringContaining(text) }]);
});

test('a reply goes to the page of the job, with what other pages say about it', () => {
  expect(edited('Mention npx as well', 'docs/events.md')).toEqual([
    {
      path: 'docs/events.md',
      added: expect.stringMatching(/> \*\*Npx\*\*: .*`npx @acme\/relay`.*installation\.md/),
    },
  ]);
});

test('a failing check and a review are answered in the page of the job (P5)', () => {
  const check = 'The check “build” fails: http://127.0.0.1:1/acme/docs/pull/1/checks. Please fix it.';
  expect(edited(check, 'docs/cli.md')).toEqual([
    { path: 'docs/cli.md', added: expect.stringContaining('says build') },
  ]);
  const review =
    'carol requested changes on acme/docs#1:\n\n> Nearly there.\n\ndocs/cli.md:1\n> Show an example.\n> Or two.';
  const [page, ...others] = edited(review, 'docs/cli.md');
  expect(others).toEqual([]);
  for (const words of ['> **Nearly there**', '> **Show an example**', '> **Or two**'])
    expect(page?.added).toContain(words);
});

test('words are replaced and typing errors corrected everywhere', () => {
  const paths = (request: string) => edited(request).map(({ path }) => path);
  expect(paths('Rename “delivered in order” to “kept in order”')).toEqual([
    'docs/changelog.md',
    'docs/events.md',
  ]);
  expect(paths('Fix the typos')).toEqual(['docs/troubleshooting.md']);
});

test('a question is answered, and so is a check that finds nothing', () => {
  expect(workOn('Which plan has which rate limit?', pages, null)).toEqual({
    edits: [],
    words: expect.stringMatching(/plan.*docs\/rate-limits\.md/),
  });
  expect(workOn('Who is Bob?', pages, null).words).toContain('say nothing about that');
  expect(workOn('Check the screenshots', pages, null)).toEqual({
    edits: [],
    words: expect.stringContaining('nothing to change'),
  });
});
