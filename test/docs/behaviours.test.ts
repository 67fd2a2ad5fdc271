import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/behaviours.md', root), 'utf8');
const rows = [...page.matchAll(/^- \*\*(\w\d)\*\* (.+)$/gm)].map(([, number = '', files = '']) => ({
  number,
  files: [...files.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file),
}));

test('docs/behaviours.md names tests for every behaviour, each once', () => {
  const all =
    'S1 S2 S3 S4 S5 S6 R1 R2 R3 R4 R5 R6 F1 F2 F3 F4 F5 F6 F7 W1 W2 W3 W4 W5 W6 N1 P1 P2 P3 P4 P5 ' +
    'T1 T2 T3 T4 L1 L2 L3 L4 A0 A1 A2 A3 A4 E1 E2 E3';
  expect(rows.map(({ number }) => number).join(' ')).toBe(all);
});

test.each(rows)('the tests of $number name it', ({ number, files }) => {
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const titles = readFileSync(new URL(file, root), 'utf8');
    expect(titles, file).toMatch(new RegExp(`[( ]${number}[,)]`));
  }
});

test('no test names a behaviour that the page does not know', () => {
  const known = new Set(rows.map(({ number }) => number));
  const files = readdirSync(new URL('test/e2e/', root), { encoding: 'utf8', recursive: true }).filter(
    (file) => file.endsWith('.test.ts'),
  );
  const named = files.flatMap((file) => {
    const text = readFileSync(new URL(`test/e2e/${file}`, root), 'utf8');
    return [...text.matchAll(/\(((?:[SRFWNPTLAE]\d(?:, )?)+)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    );
  });
  expect(named.filter((number) => !known.has(number))).toEqual([]);
});
