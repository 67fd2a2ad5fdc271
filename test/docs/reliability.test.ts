import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { atRest } from '../support/invariants/at-rest.ts';
import { invariants } from '../support/invariants.ts';

const root = new URL('../../', import.meta.url);

test('docs/reliability.md names tests that exist', () => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const names = [...page.matchAll(/`(test\/[^`]*)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(fileURLToPath(new URL(name, root))))).toEqual([]);
});

test.each([
  ['after every commit', invariants],
  ['when nothing is left to do', atRest],
])('docs/reliability.md lists every invariant that holds %s', (when, all) => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const [, rows = ''] = page.split(`| ${when} | for example, it finds |\n| --- | --- |\n`);
  const table = rows.slice(0, rows.indexOf('\n\n'));
  const names = [...table.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(all));
});
