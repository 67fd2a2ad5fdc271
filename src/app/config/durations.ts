const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `5s`, `2m`, `1h`, `180d` or `0`; null if it is not one. */
export function parseDuration(text: string): number | null {
  if (text === '0') {
    return 0;
  }
  const match = /^(?<amount>\d{1,8})(?<unit>ms|s|m|h|d)$/.exec(text);
  const unit = match?.groups?.unit as keyof typeof UNITS_MS | undefined;
  return unit === undefined ? null : Number(match?.groups?.amount) * UNITS_MS[unit];
}
