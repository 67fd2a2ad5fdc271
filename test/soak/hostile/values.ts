import { fc } from '../../support/properties.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const NASTY = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u2066',
  '<!channel> <!here> <@U0ALICE> <https://evil.example|https://bank.example>',
  '&amp;lt;!here&amp;gt;',
  '```\n*_~`>',
  "'; drop table job; --",
  '{"jobId":"__proto__"}',
  '__proto__',
  'constructor',
  '../../../etc/passwd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'https://hooks.slack.com@evil.example/',
  '\r\nX-Injected: yes\r\n\r\n',
  '\u001b[2J\u001b]0;x\u0007',
  '%00%0d%0a',
  'NaN',
  '1e309',
  '-1',
  '1700000000.000100',
];

const long = fc
  .tuple(
    fc.constantFrom('x', '<', '<@U1', '&amp;', '\u0301', '👩‍👩‍👧‍👦', ' ', '\n', '\\'),
    fc.integer({ min: 1_000, max: 40_000 }),
  )
  .map(([piece, count]) => piece.repeat(Math.ceil(count / piece.length)));

/** Hostile words. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: long },
);

/** Values where something else is expected. */
const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom<Json>(null, true, 0, -1, 1e308, [], {}, [null], { id: null }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
);

/** A change at some place in a payload. */
export interface Corruption {
  readonly at: number;
  /** Undefined: it is taken out. */
  readonly value: Json | undefined;
}

export const corruption: fc.Arbitrary<Corruption> = fc.record({
  at: fc.nat(10_000),
  value: fc.option(hostileValue, { nil: undefined, freq: 5 }),
});

/** The payload with the changes. */
export function corrupted(payload: Json, changes: readonly Corruption[]): Json {
  return changes.reduce((value, change) => {
    const paths = pathsIn(value, []);
    const path = paths[change.at % paths.length];
    return path === undefined ? value : replaced(value, path, change.value);
  }, payload);
}

type Path = readonly string[];

function pathsIn(value: Json, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

function replaced(value: Json, [key, ...rest]: Path, by: Json | undefined): Json {
  if (typeof value !== 'object' || value === null || key === undefined) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    if (name !== key) return [[name, inner]];
    if (rest.length > 0) return [[name, replaced(inner, rest, by)]];
    return by === undefined ? [] : [[name, by]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
