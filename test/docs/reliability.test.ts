import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { atRest } from '../support/invariants/at-rest.ts';
import { invariants } from '../support/invariants.ts';

const root = new URL('../../', import.meta.url);

test('docs/reliability.md names tests that exist', () => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const names = [...page.matchAll(/`(test\/[^`]*)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !existsSync(fileURLToPath(new URL(name, root))))).toEqual([]);
});

test.each([
  ['After every commit, with a fault that each finds', invariants],
  ['When nothing is left to do', atRest],
])('docs/reliability.md lists every invariant that holds %s', (when, all) => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const [, rest = ''] = page.split(`${when}:\n\n`);
  const list = rest.slice(0, rest.indexOf('\n\n'));
  const names = [...list.matchAll(/^- \*\*(.*?)\*\*:/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(all));
});
