/** A `Date` header tells whole seconds. */
const RESOLUTION_MS = 1_000;

/** When a request went out and when its answer came, by this machine's clock. */
export interface RoundTrip {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * How far this machine's clock is ahead of a server's (behind: negative), by the `Date` header of an answer: as
 * little as the answer's way leaves possible, so a slow answer raises no alarm. Null if there is no such header.
 */
export function clockAheadMs(date: string | null, { sentAtMs, answeredAtMs }: RoundTrip): number | null {
  const serverMs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverMs)) return null;
  const leastMs = sentAtMs - serverMs - RESOLUTION_MS;
  const mostMs = answeredAtMs - serverMs;
  return leastMs > 0 ? leastMs : Math.min(mostMs, 0);
}
