import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { invariants } from '../support/invariants.ts';

const root = new URL('../../', import.meta.url);

test('docs/reliability.md names tests that exist', () => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const names = [...page.matchAll(/`(test\/[^`]*)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(fileURLToPath(new URL(name, root))))).toEqual([]);
});

test('docs/reliability.md lists every invariant', () => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const [, table = ''] = /after every commit \|.*?\n.*?\n(.*?)\n\n/s.exec(page) ?? [];
  const names = [...table.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(invariants));
});
