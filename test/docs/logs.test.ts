import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSources, withoutComments } from '../support/sources.ts';

const doc = readFileSync(new URL('../../docs/operations/logs.md', import.meta.url), 'utf8');
const LOGGED =
  /\blog(?:ger)?(?:\.(?:debug|info|warn|error)|\[[^\]]+\])\(\s*(?<first>'(?<event>[a-z_]+)'|[^,)]+)/g;

/** The names of the events that the program logs; of a call with another first argument, that argument. */
function loggedEvents(): string[] {
  const sources = readSources('src').filter(({ path }) => path !== 'src/app/operations/logger.ts');
  return sources.flatMap(({ text }) =>
    [...withoutComments(text).matchAll(LOGGED)].map(({ groups }) => groups?.event ?? groups?.first ?? ''),
  );
}

test('the page about the log lists every event, and no other', () => {
  const [, list = ''] = doc.split('## Events');
  const cells = [...list.matchAll(/^\| (`[^|]+)\|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, event]) => event));
  expect(listed.length).toBeGreaterThan(30);
  expect(listed.toSorted()).toEqual([...new Set(loggedEvents())].sort());
});
