import { seededRandom } from '../../test/soak/random.ts';
import type { Bench, BenchSettings } from '../support/bench.ts';
import { percentile } from '../support/percentiles.ts';
import { type Contender, type Figures, takeTurns } from '../support/rounds.ts';
import { compare, type Row } from '../support/rows.ts';
import { type Lengths, lengths } from './lengths.ts';
import { fixed, ours, PROGRAM, type Schedule } from './schedules.ts';
import { planJobs, watchJobs } from './simulate.ts';

const JOBS = 500;
const QUICK_JOBS = 50;
const FIXED = 'a look every 5 s';

export const reads: Bench = {
  about:
    'Reads for each job, and delay from its end to the read that sees it, by how long jobs take (simulated).',
  run: async (settings) => {
    const rows: Row[] = [];
    for (const some of lengths) rows.push(...(await rowsOf(some, settings)));
    return rows;
  },
};

async function rowsOf(some: Lengths, settings: BenchSettings): Promise<Row[]> {
  const jobs = settings.quick ? QUICK_JOBS : JOBS;
  const contenders = Object.entries({ [FIXED]: fixed, ...ours }).map(([name, schedule]) =>
    contender(name, schedule, some, jobs),
  );
  const measured = await takeTurns(contenders, { ...settings, warmUpRounds: 0 });
  return Object.keys(ours).flatMap((name) => {
    const row = (what: string, figure: string, unit: string, target?: { readonly atMost: number }) =>
      compare(measured, {
        label: `${some.name}, ${name}: ${what}`,
        unit,
        ours: [name, figure],
        reference: [FIXED, figure],
        ...(target && name === PROGRAM && { target }),
      });
    return [
      row('reads', 'readsPerJob', 'a job', { atMost: 0.25 }),
      row('delay, p50', 'delayP50Seconds', 's', { atMost: 2 }),
      row('delay, p95', 'delayP95Seconds', 's'),
    ];
  });
}

/** Each of its turns is another lot of jobs, and the same as that of the others. */
function contender(name: string, schedule: Schedule, some: Lengths, jobs: number): Contender {
  let seed = 0;
  return {
    name,
    measure: async (): Promise<Figures> => {
      seed += 1;
      const watched = watchJobs(planJobs(some, jobs, seed), schedule, seededRandom(-seed));
      return {
        readsPerJob: watched.reads / jobs,
        delayP50Seconds: percentile(watched.delaysMs, 0.5) / 1_000,
        delayP95Seconds: percentile(watched.delaysMs, 0.95) / 1_000,
      };
    },
  };
}
