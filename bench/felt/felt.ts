import { percentile } from '../support/percentiles.ts';
import type { BenchSettings, Figures, Round } from '../support/rounds.ts';
import { type Bench, compare, type Row, type Target } from '../support/rows.ts';
import { type Felt, type Load, watchLive } from './live.ts';
import { simulate } from './simulate.ts';
import type { Watched } from './watched.ts';

const OURS = 'docs-agent';
const UNIFORM = 'uniform poller';
const GOAL = 'goal';
const BUDGET = 'budget';
const budget: Figures = { readsPerMinute: 600 };
const SIMULATED_MS = 20 * 3_600_000;
const QUICK_SIMULATED_MS = 3_600_000;
/** The hourly budget takes 90 starts. */
const LIVE: readonly Load[] = [
  { openJobs: 5, rounds: 6 },
  { openJobs: 20, rounds: 4 },
];
const QUICK_LIVE: readonly Load[] = [{ openJobs: 3, rounds: 1 }];
const SIMULATED = [50, 200, 1_000];
const goal: Figures = { delayP50: 1.3, delayP95: 2.5, card: 1 };
const asGood: Target = { atMost: 1 };
/** The poller has no noise, and simulated jobs have some. */
const asGoodAlmost: Target = { atMost: 1.02 };

export const felt: Bench = {
  about:
    'Delay from the end of a job at the agent API to its message in Slack, default settings: 5 and 20 open jobs in real time, more (of mixed lengths) simulated by the schedule and the budget of the program. The uniform poller spends the same reads at equal distances, and posts at once.',
  run: async (settings) => {
    const rows: Row[] = [];
    for (const load of settings.quick ? QUICK_LIVE : LIVE) rows.push(...(await liveRows(load, settings)));
    for (const openJobs of SIMULATED) rows.push(...(await simulatedRows(openJobs, settings)));
    return rows;
  },
};

async function liveRows(load: Load, settings: BenchSettings): Promise<Row[]> {
  const label = `${load.openJobs} open jobs`;
  const rounds = await measured(label, settings, async (seed) => {
    const live: Felt = await watchLive(load, settings, seed);
    return { ...figuresOf(live, load.openJobs), card: percentile(live.cardsMs, 0.5) / 1_000 };
  });
  return [
    row(rounds, `${label}: delay, p50`, 'delayP50', GOAL, asGood),
    row(rounds, `${label}: delay, p95`, 'delayP95', GOAL, asGood),
    ...againstUniform(rounds, label),
    compare(rounds, {
      label: `${label}: command to card, p50`,
      unit: 's',
      ours: [OURS, 'card'],
      reference: [GOAL, 'card'],
    }),
  ];
}

async function simulatedRows(openJobs: number, settings: BenchSettings): Promise<Row[]> {
  const label = `${openJobs.toLocaleString('en')} open jobs, simulated`;
  const durationMs = settings.quick ? QUICK_SIMULATED_MS : SIMULATED_MS;
  const rounds = await measured(label, settings, async (seed) =>
    figuresOf(simulate(openJobs, durationMs, seed), openJobs),
  );
  return againstUniform(rounds, label, asGoodAlmost);
}

function againstUniform(rounds: readonly Round[], label: string, target?: Target): Row[] {
  return [
    row(rounds, `${label}: delay, p50`, 'delayP50', UNIFORM, target),
    row(rounds, `${label}: delay, p95`, 'delayP95', UNIFORM, target),
    compare(rounds, {
      label: `${label}: reads`,
      unit: 'a minute',
      ours: [OURS, 'readsPerMinute'],
      reference: [BUDGET, 'readsPerMinute'],
    }),
  ];
}

function row(
  rounds: readonly Round[],
  label: string,
  figure: string,
  reference: string,
  target?: Target,
): Row {
  return compare(rounds, {
    label,
    unit: 's',
    ours: [OURS, figure],
    reference: [reference, figure],
    ...(target && { target }),
  });
}

async function measured(
  label: string,
  { rounds, note }: BenchSettings,
  measure: (seed: number) => Promise<Figures>,
): Promise<Round[]> {
  const all: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ours = await measure(round);
    const { intervalSeconds = 0 } = ours;
    const uniform = { delayP50: intervalSeconds / 2, delayP95: intervalSeconds * 0.95 };
    all.push(
      new Map([
        [OURS, ours],
        [UNIFORM, uniform],
        [GOAL, goal],
        [BUDGET, budget],
      ]),
    );
    note(
      `round ${round} of ${rounds}, ${label}: p50 ${ours.delayP50?.toFixed(2)} s, p95 ${ours.delayP95?.toFixed(2)} s`,
    );
  }
  return all;
}

function figuresOf({ reads, openMs, delaysMs }: Watched, openJobs: number) {
  const intervalSeconds = openMs / reads / 1_000;
  return {
    delayP50: percentile(delaysMs, 0.5) / 1_000,
    delayP95: percentile(delaysMs, 0.95) / 1_000,
    /** Between two reads of the same job, on average. */
    intervalSeconds,
    readsPerMinute: (openJobs * 60) / intervalSeconds,
  };
}
