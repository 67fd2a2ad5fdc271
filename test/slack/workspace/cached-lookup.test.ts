import { expect, test } from 'vitest';
import { clockFrom } from '../../../src/runtime/clock.ts';
import { cachedLookup } from '../../../src/slack/workspace/names.ts';
import { createTestClock } from '../../support/test-clock.ts';

test('what was learned before the clock was set back does not count for all that time', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  let answers = 0;
  const clock = clockFrom({ now: () => nowMs, at: () => () => {}, awakeSinceMs: () => 0 });
  const lookUp = async () => {
    answers += 1;
    return answers;
  };
  const lookup = cachedLookup(lookUp, clock, { freshMs: 600_000 });
  expect([await lookup.get('U1'), await lookup.get('U1')]).toEqual([1, 1]);
  nowMs -= 3_600_000;
  expect(await lookup.get('U1')).toBe(2);
});

test('what was asked for before a change is not taken for how it is after it', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const lookUp = async () => answers[asked++]?.promise ?? 'asked too often';
  const lookup = cachedLookup(lookUp, createTestClock(0), { freshMs: 3_000 });
  const early = lookup.get('T1');
  lookup.forget('T1');
  const late = lookup.get('T1');
  answers[1]?.resolve('after');
  expect(await late).toBe('after');
  answers[0]?.resolve('before');
  expect(await early).toBe('before');
  expect(await lookup.get('T1')).toBe('after');
});

test('what is learned while somebody asks counts, and not the older answer', async () => {
  const answer = Promise.withResolvers<string>();
  const lookup = cachedLookup(() => answer.promise, createTestClock(0), { freshMs: 3_000 });
  const asked = lookup.get('C1');
  lookup.learn('C1', 'shared');
  answer.resolve('not shared');
  await asked;
  expect(await lookup.get('C1')).toBe('shared');
});
