import { BARE, contender, contenders, OURS, type Turn } from './support/contenders.ts';
import { spreadOf } from './support/percentiles.ts';
import { startStandIns } from './support/processes.ts';
import { type Contender, takeTurns } from './support/rounds.ts';
import { type Bench, compare } from './support/rows.ts';
import { seedJobs } from './support/seeded.ts';

const MANY_JOBS = 30_000;
const RESUMING = 'docs-agent, resuming';
const STARTS_PER_TURN = 3;

export const start: Bench = {
  about: `From the start of the process until it takes requests: with an empty folder, and with many watched jobs. A is a bare Bolt app.`,
  run: async (settings) => {
    const jobs = settings.quick ? 1_000 : MANY_JOBS;
    await using standIns = await startStandIns();
    await using seeded = await seedJobs(jobs);
    const options = { settings, standIns, measure };
    const resuming = contender(OURS, { ...options, seed: seeded.copyTo }, RESUMING);
    const all = [...contenders([OURS, BARE], options), resuming].map((one) =>
      settings.quick ? one : repeated(one, STARTS_PER_TURN),
    );
    const rounds = await takeTurns(all, settings);
    const figure = { unit: 'ms', reference: [BARE, 'ms'], target: { atMost: 2 } } as const;
    return [
      compare(rounds, { ...figure, label: 'empty', ours: [OURS, 'ms'] }),
      compare(rounds, {
        ...figure,
        label: `resuming ${jobs.toLocaleString('en')} jobs`,
        ours: [RESUMING, 'ms'],
      }),
    ];
  },
};

async function measure({ process, who }: Turn) {
  if (who === OURS) {
    const answer = await fetch(`http://127.0.0.1:${process.port}/readyz`);
    if (!answer.ok) throw new Error(`it said that it had started, but not ready: ${await answer.text()}`);
  }
  return { ms: process.startMs };
}

/** Starts so often in each turn, and takes the median. */
function repeated({ name, measure: once }: Contender, times: number): Contender {
  return {
    name,
    measure: async () => {
      const ms: number[] = [];
      for (let time = 0; time < times; time += 1) ms.push((await once()).ms ?? Number.NaN);
      return { ms: spreadOf(ms).median };
    },
  };
}
