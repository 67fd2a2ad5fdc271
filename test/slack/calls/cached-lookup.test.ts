import { expect, test } from 'vitest';
import { CachedLookup } from '../../../src/slack/calls/cached-lookup.ts';

test('what was learned before the clock was set back does not count for all that time', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  let answers = 0;
  const clock = { now: () => nowMs, at: () => () => {} };
  const lookUp = async () => {
    answers += 1;
    return answers;
  };
  const lookup = new CachedLookup(lookUp, clock, { freshMs: 600_000, max: 10 });
  expect([await lookup.get('U1'), await lookup.get('U1')]).toEqual([1, 1]);
  nowMs -= 3_600_000;
  expect(await lookup.get('U1')).toBe(2);
});
