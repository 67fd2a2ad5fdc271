/** A wait beyond a day is taken for a mistake of the server, and is cut to a day. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * `Retry-After` (RFC 9110, 10.2.3: seconds, or an HTTP date) as a wait from now, between 0 and 24 hours.
 * Null if the header is missing or malformed. A date is compared with the `Date` of the same answer,
 * where there is one, so that a clock that goes wrong on either side does no harm.
 */
export function parseRetryAfterMs(
  retryAfter: string | string[] | undefined,
  date: string | string[] | undefined,
  nowMs: number,
): number | null {
  if (typeof retryAfter !== 'string') return null;
  const value = retryAfter.trim();
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1000);
  const untilMs = parseDateMs(value);
  return untilMs === null ? null : bounded(untilMs - (parseDateMs(date) ?? nowMs));
}

function parseDateMs(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string' || !httpDate.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

function bounded(waitMs: number): number {
  return Math.min(Math.max(Math.ceil(waitMs), 0), LONGEST_WAIT_MS);
}
