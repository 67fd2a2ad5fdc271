import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allLiterals } from '../slack/views/support/all-texts.ts';

const guide = readFileSync(new URL('../../docs/using.md', import.meta.url), 'utf8');

test('the guide quotes nothing that the program does not say', () => {
  const plain = allLiterals.map(([, text]) => text.replaceAll('*', '')).join('\n');
  const quoted = [...guide.matchAll(/(?<!\w)_(?<words>[^_\n]+)_(?!\w)/g)].map(
    ({ groups }) => groups?.words ?? '',
  );
  expect(quoted.length).toBeGreaterThan(15);
  expect(quoted.filter((words) => !plain.includes(words))).toEqual([]);
});
