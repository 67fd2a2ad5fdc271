import { Cron } from 'croner';

/** Moments that come again and again: cron of five fields, by the clocks of a time zone (`Europe/Berlin`). */
export interface Schedule {
  readonly cron: string;
  readonly zone: string;
}

/**
 * What is wrong with a schedule that people wrote: its fields, its zone, or that it never comes (`0 0 30 2 *`). Null:
 * nothing.
 */
export function scheduleProblem({ cron, zone }: Schedule): 'cron' | 'zone' | 'never' | null {
  if (cron.trim().split(/\s+/).length !== 5) return 'cron';
  try {
    new Cron(cron, { mode: '5-part' });
  } catch {
    return 'cron';
  }
  if (!isZone(zone)) return 'zone';
  // Any day will do: every date that exists comes again within eight years.
  return nextMoment({ cron, zone }, 0) === null ? 'never' : null;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The first moment after that time; null: it never comes. A time that the clocks skip comes when they are set. */
export function nextMoment(schedule: Schedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The last moment until then, that time included; null: there was none. */
export function lastMoment(schedule: Schedule, untilMs: number): number | null {
  const [last] = cronOf(schedule).previousRuns(1, new Date(untilMs + 1));
  return last?.getTime() ?? null;
}

/** Without a function to call, it starts no timer. */
function cronOf({ cron, zone }: Schedule): Cron {
  return new Cron(cron, { timezone: zone, mode: '5-part' });
}

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
const AT_ONE_TIME = /^(\d{1,2}) (\d{1,2}) \* \* (\*|\d|1-5)$/;

/** `Mondays 9:00`, `weekdays 9:00`, `daily 9:00`; what is not that simple stays as it was written. */
export function inWords({ cron }: Schedule): string {
  const [, minute = '', hour = '', day = ''] = AT_ONE_TIME.exec(cron.trim().replace(/\s+/g, ' ')) ?? [];
  const days = day === '*' ? 'daily' : day === '1-5' ? 'weekdays' : DAYS[Number(day)];
  return minute === '' || days === undefined ? cron : `${days} ${hour}:${minute.padStart(2, '0')}`;
}
