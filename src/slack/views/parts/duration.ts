const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** As exact as people need it: `40 s`, `6 min`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(Math.trunc(ms / SECOND_MS), 0)} s`;
  if (ms < HOUR_MS) return `${Math.trunc(ms / MINUTE_MS)} min`;
  return ms < DAY_MS
    ? inTwo(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
    : inTwo(ms, [DAY_MS, 'd'], [HOUR_MS, 'h']);
}

/** In whole days: `3 days`, `1 day`, `today`. */
export function inDays(ms: number): string {
  const days = Math.trunc(ms / DAY_MS);
  if (days < 1) return 'today';
  return days === 1 ? '1 day' : `${days} days`;
}

const UNITS = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
] as const;

/** In words, in the largest unit that divides it: `3 days`, `36 hours`, `1 minute`. */
export function fullDuration(ms: number): string {
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? [SECOND_MS, 'second'];
  const count = Math.trunc(ms / unitMs);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

type Unit = readonly [ms: number, symbol: string];

function inTwo(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.trunc((ms % largeMs) / smallMs);
  return `${Math.trunc(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
