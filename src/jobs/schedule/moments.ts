import { Cron } from 'croner';
import { z } from 'zod';

export type Schedule = Readonly<{ cron: string; zone: string }>;

export const scheduleShape = {
  schedule: z
    .string()
    .refine(isCron, {
      error: 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine',
      abort: true,
    })
    // Each date recurs within eight years.
    .refine((cron) => nextMoment({ cron, zone: 'UTC' }, 0) !== null, 'never comes: there is no such date'),
  zone: z.string().refine(isZone, 'is not a time zone such as Europe/Berlin').optional(),
};

function isCron(cron: string) {
  try {
    new Cron(cron, { mode: '5-part' });
    return cron.trim().split(/\s+/).length === 5;
  } catch {
    return false;
  }
}

function isZone(zone: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** A time skipped by a clock change counts as the change's. */
export function nextMoment(schedule: Schedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}

export function lastMoment(schedule: Schedule, untilMs: number): number | null {
  const [last] = cronOf(schedule).previousRuns(1, new Date(untilMs + 1));
  return last?.getTime() ?? null;
}

/** Croner starts no timer without a callback. */
function cronOf({ cron, zone }: Schedule) {
  return new Cron(cron, { timezone: zone, mode: '5-part' });
}

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
const AT_ONE_TIME = /^(\d{1,2}) (\d{1,2}) \* \* (\*|\d|1-5)$/;

/** `Mondays 9:00`, `weekdays 9:00`, `daily 9:00`, else `cron`. */
export function describeSchedule({ cron }: Schedule): string {
  const [, minute = '', hour = '', day = ''] = AT_ONE_TIME.exec(cron.trim().replace(/\s+/g, ' ')) ?? [];
  const days = day === '*' ? 'daily' : day === '1-5' ? 'weekdays' : DAYS[Number(day)];
  return minute === '' || days === undefined ? cron : `${days} ${hour}:${minute.padStart(2, '0')}`;
}
