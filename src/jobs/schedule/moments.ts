import { Cron } from 'croner';

/** Recurring times: cron of five fields, in a time zone (`Europe/Berlin`). */
export type Schedule = Readonly<{
  cron: string;
  zone: string;
}>;

/**
 * What is wrong with a schedule: its fields, its zone, or that it never comes (`0 0 30 2 *`). Null: nothing.
 */
export function scheduleProblem({ cron, zone }: Schedule): 'cron' | 'zone' | 'never' | null {
  if (cron.trim().split(/\s+/).length !== 5) return 'cron';
  try {
    new Cron(cron, { mode: '5-part' });
  } catch {
    return 'cron';
  }
  if (!isZone(zone)) return 'zone';
  // Any day will do: every existing date comes again within eight years.
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

/**
 * The first time after that; null: it never comes. A time skipped by a clock change counts as the moment of
 * the change.
 */
export function nextMoment(schedule: Schedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The last time until then, inclusive; null: there was none. */
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

/** `Mondays 9:00`, `weekdays 9:00`, `daily 9:00`; anything less simple stays as written. */
export function inWords({ cron }: Schedule): string {
  const [, minute = '', hour = '', day = ''] = AT_ONE_TIME.exec(cron.trim().replace(/\s+/g, ' ')) ?? [];
  const days = day === '*' ? 'daily' : day === '1-5' ? 'weekdays' : DAYS[Number(day)];
  return minute === '' || days === undefined ? cron : `${days} ${hour}:${minute.padStart(2, '0')}`;
}
