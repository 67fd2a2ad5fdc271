import { describe, expect, test } from 'vitest';
import { dueMoment, momentServed, planSchedules } from '../../src/engine/schedules.ts';
import type { Schedule } from '../../src/jobs/schedule/moments.ts';
import { createTestClock } from '../support/test-clock.ts';
import { onSqlite } from './support/test-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LEASE_MS = 24_000;
const berlin = (cron: string): Schedule => ({ cron, zone: 'Europe/Berlin' });
const named = (schedule: Schedule, name = 'weekly-review') =>
  ({ kind: 'start_recipe', name, schedule }) as const;

/** Replicas on one store, which write down each moment that they serve. */
async function replicas(start: string) {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.parse(start));
  const served: string[] = [];
  /** A start of the program with these settings. `aheadMs`: how far its clock is. */
  const plan = (schedule: Schedule | null, aheadMs = 0) =>
    store.transaction((tx) =>
      planSchedules(tx, 'T1', schedule === null ? [] : [named(schedule)], clock.now() + aheadMs),
    );
  const claim = (nowMs: number) =>
    store.transaction((tx) =>
      tx.tasks.claim({
        kinds: ['start_recipe'],
        ...{ nowMs, leaseNowMs: clock.now(), leaseUntilMs: clock.now() + LEASE_MS, inFlight: [], limit: 9 },
      }),
    );
  /** Does what is due. `meanwhile`: between the moment and its end. */
  const work = async (schedule: Schedule | null, aheadMs = 0, meanwhile = async () => {}) => {
    const nowMs = clock.now() + aheadMs;
    for (const task of await claim(nowMs)) {
      const moment = await store.transaction((tx) => dueMoment(tx, task, schedule, nowMs));
      if (moment === null) continue;
      served.push(new Date(moment.atMs).toISOString().slice(0, 16));
      await meanwhile();
      await store.transaction((tx) => momentServed(tx, task, moment, clock.now() + aheadMs));
    }
  };
  const workFor = async (schedule: Schedule, durationMs: number, aheadsMs: readonly number[] = [0]) => {
    const untilMs = clock.now() + durationMs;
    while (clock.now() < untilMs) {
      for (const aheadMs of aheadsMs) await work(schedule, aheadMs);
      await clock.advance(15_000);
    }
  };
  return { store, clock, served, plan, work, workFor };
}

describe('a schedule (T3, L4)', () => {
  test.each([
    ['shows half past two twice', '2026-10-25T00:20Z', '2026-10-25T00:30'],
    ['skips half past two', '2027-03-28T00:50Z', '2027-03-28T01:00'],
  ])('comes once on the day on which the clock %s', async (_what, start, moment) => {
    const { served, plan, workFor } = await replicas(start);
    const schedule = berlin('30 2 * * *');
    await plan(schedule);
    await workFor(schedule, 2 * HOUR_MS, [0, 20_000]);
    expect(served).toEqual([moment]);
  });

  test('comes once for two replicas with clocks 20 seconds apart, whichever of them started last', async () => {
    const { served, plan, workFor } = await replicas('2026-06-01T07:04:50Z');
    const often = berlin('*/5 * * * *');
    for (const aheadMs of [0, 20_000, 0]) await plan(often, aheadMs);
    await workFor(often, 11 * MINUTE_MS, [20_000, 0]);
    expect(served).toEqual(['2026-06-01T07:05', '2026-06-01T07:10', '2026-06-01T07:15']);
  });

  test('that changes just after a moment does not bring that moment again, though a clock is behind', async () => {
    const { served, plan, workFor } = await replicas('2026-06-01T06:59:30Z');
    await plan(berlin('0 9 * * 1'), -20_000);
    await workFor(berlin('0 9 * * 1'), MINUTE_MS / 2, [15_000]);
    expect(served).toEqual(['2026-06-01T07:00']);
    await plan(berlin('0 9 * * *'), -20_000);
    await workFor(berlin('0 9 * * *'), 2 * MINUTE_MS, [-20_000]);
    expect(served).toEqual(['2026-06-01T07:00']);
  });

  test('that another replica changes while a moment is served begins with the next moment', async () => {
    const { clock, served, plan, work } = await replicas('2026-06-01T06:50Z');
    const [old, current] = [berlin('0 9 * * *'), berlin('5 9 * * *')];
    await plan(old);
    await clock.advance(10 * MINUTE_MS);
    await work(old, 0, async () => {
      await clock.advance(7 * MINUTE_MS);
      await plan(current);
    });
    await plan(current);
    await work(current);
    expect(served).toEqual(['2026-06-01T07:00']);
    await clock.advance(DAY_MS);
    await work(current);
    expect(served).toEqual(['2026-06-01T07:00', '2026-06-02T07:05']);
  });

  test('whose moment falls to a replica that still knows another schedule is served within an hour', async () => {
    const { clock, served, plan, work } = await replicas('2026-06-01T06:55Z');
    await plan(berlin('0 9 * * *'));
    await clock.advance(5 * MINUTE_MS);
    await work(berlin('0 0 1 1 *'));
    expect(served).toEqual([]);
    await clock.advance(HOUR_MS);
    await work(berlin('0 9 * * *'));
    expect(served).toEqual(['2026-06-01T07:00']);
  });
});
