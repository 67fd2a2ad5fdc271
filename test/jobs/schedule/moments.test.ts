import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  describeSchedule,
  lastMoment,
  nextMoment,
  type Schedule,
  scheduleShape,
} from '../../../src/jobs/schedule/moments.ts';

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
});

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
});

test.each([
  ['0 9 * * 1', 'Mondays 9:00'],
  ['5  17 * * 7', 'Sundays 17:05'],
  ['30 8 * * *', 'daily 8:30'],
  ['0 9 * * 1-5', 'weekdays 9:00'],
  ['0 9 1 * *', '0 9 1 * *'],
  ['*/5 9 * * 1', '*/5 9 * * 1'],
])('%j is %j in words', (cron, words) => expect(describeSchedule(berlin(cron))).toBe(words));
