import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('docs/reliability.md names tests that exist', () => {
  const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');
  const names = [...page.matchAll(/`(test\/[^`]*)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(fileURLToPath(new URL(name, root))))).toEqual([]);
});
