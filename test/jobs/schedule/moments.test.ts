import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  describeSchedule,
  lastMoment,
  nextMoment,
  type Schedule,
  scheduleShape,
} from '../../../src/jobs/schedule/moments.ts';
import { fc } from '../../support/properties.ts';

const DAY_MS = 86_400_000;
const berlin = (cron: string): Schedule => ({ cron, zone: 'Europe/Berlin' });
const at = (iso: string) => Date.parse(iso);

/** All moments from one time until another. */
function moments(schedule: Schedule, from: string, until: string): string[] {
  const found: string[] = [];
  let next = nextMoment(schedule, at(from) - 1);
  while (next !== null && next < at(until)) {
    found.push(new Date(next).toISOString().slice(0, 16));
    next = nextMoment(schedule, next);
  }
  return found;
}

describe('a schedule follows the clocks of its zone (T3)', () => {
  test('over summer and winter', () => {
    const monday = berlin('0 9 * * 1');
    expect(moments(monday, '2026-10-12T00:00Z', '2026-11-03T00:00Z')).toEqual([
      '2026-10-12T07:00',
      '2026-10-19T07:00',
      '2026-10-26T08:00',
      '2026-11-02T08:00',
    ]);
  });

  test('half past two comes once on the day on which the clocks show it twice', () => {
    expect(moments(berlin('30 2 * * *'), '2026-10-24T12:00Z', '2026-10-26T12:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  test('and once on the day on which the clocks skip it, when they are set', () => {
    expect(moments(berlin('30 2 * * *'), '2027-03-27T12:00Z', '2027-03-29T12:00Z')).toEqual([
      '2027-03-28T01:00',
      '2027-03-29T00:30',
    ]);
  });

  test('the last moment is the same whether it was a second ago or is now', () => {
    const daily = berlin('0 9 * * *');
    expect(lastMoment(daily, at('2026-11-20T08:00:00.000Z'))).toBe(at('2026-11-20T08:00Z'));
    expect(lastMoment(daily, at('2026-11-20T08:00:01.000Z'))).toBe(at('2026-11-20T08:00Z'));
    expect(lastMoment(daily, at('2026-11-20T07:59:59.999Z'))).toBe(at('2026-11-19T08:00Z'));
  });

  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'UTC',
  );
  const time = fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2029-01-01T00:00Z') });
  const daily = fc
    .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }), zone)
    .map(([minute, hour, of]): Schedule => ({ cron: `${minute} ${hour} * * *`, zone: of }));

  test('what comes next was the last when it is there, and nothing is between the two', () => {
    fc.assert(
      fc.property(daily, time, (schedule, nowMs) => {
        const next = nextMoment(schedule, nowMs) ?? 0;
        const last = lastMoment(schedule, nowMs) ?? 0;
        expect(last).toBeLessThanOrEqual(nowMs);
        expect(next).toBeGreaterThan(nowMs);
        expect(lastMoment(schedule, next)).toBe(next);
        expect(nextMoment(schedule, last)).toBe(next);
      }),
    );
  });

  test('a time of day comes once on every date of its zone', () => {
    fc.assert(
      fc.property(daily, time, (schedule, startMs) => {
        const dates = new Intl.DateTimeFormat('en-CA', { timeZone: schedule.zone, dateStyle: 'short' });
        let moment = nextMoment(schedule, startMs) ?? 0;
        for (let day = 0; day < 40; day += 1) {
          const next = nextMoment(schedule, moment) ?? 0;
          expect(dates.format(next)).toBe(dates.format(dateAfter(moment, dates)));
          moment = next;
        }
      }),
    );
  });
});

/** A time on the date after. */
function dateAfter(atMs: number, dates: Intl.DateTimeFormat): number {
  let laterMs = atMs;
  while (dates.format(laterMs) === dates.format(atMs)) laterMs += DAY_MS / 24;
  return laterMs;
}

const NO_CRON = 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine';
const NO_ZONE = 'is not a time zone such as Europe/Berlin';
const NEVER = 'never comes: there is no such date';

const problemOf = (schedule: string, zone: string) =>
  z.object(scheduleShape).safeParse({ schedule, zone }).error?.issues[0]?.message ?? null;

describe('a schedule that people wrote wrong is found when the settings are read (T3)', () => {
  test.each([
    ['0 9 * * 1', 'Europe/Berlin', null],
    ['0 0 29 2 *', 'UTC', null],
    ['*/15 8-18 * * MON-FRI', 'America/New_York', null],
    ['0 9 * *', 'UTC', NO_CRON],
    ['0 0 9 * * 1', 'UTC', NO_CRON],
    ['@daily', 'UTC', NO_CRON],
    ['61 9 * * *', 'UTC', NO_CRON],
    ['every Monday at nine sharp', 'UTC', NO_CRON],
    ['', 'UTC', NO_CRON],
    ['0 9 * * 1', 'Europe/Berlln', NO_ZONE],
    ['0 9 * * 1', '', NO_ZONE],
    ['0 0 30 2 *', 'UTC', NEVER],
  ])('%j in %j: %s', (cron, zone, problem) => {
    expect(problemOf(cron, zone)).toBe(problem);
  });

  test('whatever is written, it is said and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (cron, zone) => {
        expect([NO_CRON, NO_ZONE, NEVER, null]).toContain(problemOf(cron, zone));
      }),
    );
  });
});

test.each([
  ['0 9 * * 1', 'Mondays 9:00'],
  ['5  17 * * 7', 'Sundays 17:05'],
  ['30 8 * * *', 'daily 8:30'],
  ['0 9 * * 1-5', 'weekdays 9:00'],
  ['0 9 1 * *', '0 9 1 * *'],
  ['*/5 9 * * 1', '*/5 9 * * 1'],
])('%j is %j in words', (cron, words) => expect(describeSchedule(berlin(cron))).toBe(words));
