import { type Spread, spreadOf } from './percentiles.ts';
import { type BenchSettings, figureOf, type Round } from './rounds.ts';

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** One line of a bench's table: a figure of ours, the same of a reference, and how they compare. */
export interface Row {
  readonly label: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly referenceName: string;
  readonly reference: Spread;
  /** `ratio`: ours divided by the reference; `difference`: ours less the reference, in the row's unit. */
  readonly by: 'ratio' | 'difference';
  /** Taken within each round. */
  readonly compared: Spread;
  readonly target: Target | null;
  /** Whether the median meets the target; null if there is none. */
  readonly isMet: boolean | null;
}

export interface Comparison {
  readonly label: string;
  readonly unit: string;
  /** The contender, and the name of its figure. */
  readonly ours: readonly [contender: string, figure: string];
  readonly reference: readonly [contender: string, figure: string];
  /** Left out: the ratio. */
  readonly by?: Row['by'];
  /** Left out: it is only reported. */
  readonly target?: Target;
}

export function compare(rounds: readonly Round[], comparison: Comparison): Row {
  const { label, unit, ours, reference, by = 'ratio', target = null } = comparison;
  const pairs = rounds.map((round) => [figureOf(round, ...ours), figureOf(round, ...reference)] as const);
  const compared = spreadOf(pairs.map(([mine, other]) => (by === 'ratio' ? mine / other : mine - other)));
  return {
    label,
    unit,
    ours: spreadOf(pairs.map(([mine]) => mine)),
    referenceName: reference[0],
    reference: spreadOf(pairs.map(([, other]) => other)),
    by,
    compared,
    target,
    isMet: target && meets(compared.median, target),
  };
}

function meets(value: number, target: Target): boolean {
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export interface Bench {
  /** What is measured, in one sentence. */
  readonly about: string;
  /** Also runs with a disk that flushes slowly. */
  readonly isOfDisk?: boolean;
  /** Throws if it cannot be measured, or if what ran did not do its work. */
  run(settings: BenchSettings): Promise<readonly Row[]>;
}
