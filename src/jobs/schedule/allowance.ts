const MINUTE_MS = 60_000;
/** How much of a minute's allowance may be used at once. */
const BURST_SHARE = 0.05;
/** Sums of fractions of a millisecond are not exact. */
const ROUNDING_MS = 0.01;

/** So many in any minute, evenly spread, with short bursts. */
export interface Allowance {
  readonly spacingMs: number;
  readonly burstMs: number;
}

export interface Taken {
  readonly count: number;
  /** When the allowance is whole again. */
  readonly wholeAtMs: number;
  /** When there will be one more. */
  readonly againAtMs: number;
}

export function allowanceOf(perMinute: number): Allowance {
  const burst = Math.max(1, Math.floor(perMinute * BURST_SHARE));
  // A minute that begins with a burst must stay under the cap, too.
  const spacingMs = MINUTE_MS / (perMinute - burst + 1);
  return { spacingMs, burstMs: burst * spacingMs };
}

/** Takes as many as are available, up to `wanted`. */
export function takeFrom(
  { spacingMs, burstMs }: Allowance,
  wholeAtMs: number,
  wanted: number,
  nowMs: number,
): Taken {
  const fromMs = Math.max(wholeAtMs, nowMs);
  const left = Math.floor((nowMs + burstMs + ROUNDING_MS - fromMs) / spacingMs);
  const count = Math.max(0, Math.min(wanted, left));
  const takenMs = fromMs + count * spacingMs;
  const againAtMs = Math.max(nowMs, Math.ceil(takenMs + spacingMs - burstMs - ROUNDING_MS));
  return { count, wholeAtMs: takenMs, againAtMs };
}
