import { describe, expect, test } from 'vitest';
import { fc } from './properties.ts';
import { createTestClock } from './test-clock.ts';

describe('the test clock', () => {
  test('does not move until it is moved', async () => {
    const clock = createTestClock(1_000);
    const rung: number[] = [];
    clock.at(1_500, () => rung.push(clock.now()));

    await clock.advance(499);
    expect({ now: clock.now(), rung }).toEqual({ now: 1_499, rung: [] });

    await clock.advanceTo(2_000);
    expect({ now: clock.now(), rung }).toEqual({ now: 2_000, rung: [1_500] });
  });

  test('runs an overdue callback at the next move, at the present time', async () => {
    const clock = createTestClock(1_000);
    const rung: number[] = [];
    clock.at(10, () => rung.push(clock.now()));

    await clock.advance(0);

    expect(rung).toEqual([1_000]);
  });

  test('runs what callbacks schedule on the way, also after awaiting something', async () => {
    const clock = createTestClock(0);
    const rung: number[] = [];
    const ring = async () => {
      rung.push(clock.now());
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      clock.at(clock.now() + 10, ring);
    };
    clock.at(10, ring);

    await clock.advance(35);

    expect(rung).toEqual([10, 20, 30]);
  });

  test('lets work that began before the move set its first alarm', async () => {
    const clock = createTestClock(0);
    const rung: number[] = [];
    const begin = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.at(5, () => rung.push(clock.now()));
    };
    void begin();

    await clock.advance(10);

    expect(rung).toEqual([5]);
  });

  test('passes on what a callback throws, and refuses to go back', async () => {
    const clock = createTestClock(0);
    clock.at(1, () => {
      throw new Error('broken callback');
    });

    await expect(clock.advance(2)).rejects.toThrow('broken callback');
    await expect(clock.advanceTo(-1)).rejects.toThrow('cannot go back');
  });

  test('runs everything due and not cancelled, in the order of time, and nothing else', async () => {
    const alarm = fc.record({ atMs: fc.nat(100), cancelled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(alarm, { maxLength: 8 }), fc.nat(100), async (alarms, untilMs) => {
        const clock = createTestClock(0);
        const rung: { nowMs: number; index: number }[] = [];
        for (const [index, { atMs, cancelled }] of alarms.entries()) {
          const cancel = clock.at(atMs, () => rung.push({ nowMs: clock.now(), index }));
          if (cancelled) cancel();
        }

        await clock.advanceTo(untilMs);

        const expected = alarms
          .map(({ atMs, cancelled }, index) => ({ nowMs: atMs, index, cancelled }))
          .filter(({ nowMs, cancelled }) => !cancelled && nowMs <= untilMs)
          .map(({ nowMs, index }) => ({ nowMs, index }))
          .sort((a, b) => a.nowMs - b.nowMs || a.index - b.index);
        expect(rung).toEqual(expected);
      }),
    );
  });
});
