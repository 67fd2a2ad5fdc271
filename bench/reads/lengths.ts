import type { Random } from '../../test/soak/random.ts';

const MINUTE_MS = 60_000;
/** Four of five jobs take between a √3rd and √3 times the middle: one to three minutes, say. */
const SPREAD = Math.log(3) / 2 / 1.2816;

/** How long the jobs of a project take: most near the middle, few very long. */
export interface Lengths {
  readonly name: string;
  readonly middleMs: number;
}

export const lengths: readonly Lengths[] = [
  { name: '1 to 3 min', middleMs: Math.sqrt(3) * MINUTE_MS },
  { name: '10 min', middleMs: 10 * MINUTE_MS },
  { name: '1 h', middleMs: 60 * MINUTE_MS },
  { name: '6 h', middleMs: 360 * MINUTE_MS },
];

/** The length of one job (log-normal). */
export function lengthMs({ middleMs }: Lengths, random: Random): number {
  // 1 - r: the logarithm of 0 is none.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return middleMs * Math.exp(SPREAD * normal);
}
