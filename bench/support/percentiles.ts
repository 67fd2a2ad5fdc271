/** The middle of the values, and how far they spread. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which this share (0 to 1) of the values lies. Throws if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = percentile(sorted, 0.5);
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? upper)) / 2;
}
