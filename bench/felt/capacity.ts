import { percentile } from '../support/percentiles.ts';
import type { Figures, Round } from '../support/rounds.ts';
import { type Bench, compare } from '../support/rows.ts';
import { simulateProjects, type WatchedProjects } from './simulate.ts';

const ALONE = 'one project';
const SIMULATED_MS = 90 * 60_000;
const QUICK_SIMULATED_MS = 6 * 60_000;
/** Of three replicas, their Postgres and all else on two cores: `npm run bench -- replicas`. */
const CHECKS_PER_SECOND = 11_673;
/** As many projects as there can be. */
const full = { projects: 100, readsPerMinute: 600, checksPerSecond: CHECKS_PER_SECOND };
const LOADS: readonly WatchedProjects[] = [
  { ...full, openJobs: 20 },
  { ...full, openJobs: 200 },
  { ...full, openJobs: 1_000 },
  { ...full, openJobs: 200, readsPerMinute: 6_000 },
  { ...full, openJobs: 1_000, checksPerSecond: 800 },
];

export const capacity: Bench = {
  about:
    'Delay from the end of a job to the read that sees it, simulated by the schedule and the budget of the program: 100 projects that share the checks that the machine can make, against one project that has it for itself.',
  run: async ({ quick, rounds, note }) => {
    const durationMs = quick ? QUICK_SIMULATED_MS : SIMULATED_MS;
    const feel = (load: WatchedProjects, seed: number): Figures => {
      const { delaysMs } = simulateProjects(load, durationMs, seed);
      return { p50: percentile(delaysMs, 0.5) / 1_000, p95: percentile(delaysMs, 0.95) / 1_000 };
    };
    return LOADS.flatMap((load) => {
      const label = labelOf(load);
      const all = Array.from({ length: rounds }, (_, seed): Round => {
        note(`round ${seed + 1} of ${rounds}, ${label}`);
        const alone = { ...load, projects: 1, checksPerSecond: CHECKS_PER_SECOND };
        return new Map([
          [label, feel(load, seed)],
          [ALONE, feel(alone, seed)],
        ]);
      });
      return (['p50', 'p95'] as const).map((figure) =>
        compare(all, {
          label: `${label}: ${figure}`,
          unit: 's',
          ours: [label, figure],
          reference: [ALONE, figure],
        }),
      );
    });
  },
};

function labelOf({ projects, openJobs, readsPerMinute, checksPerSecond }: WatchedProjects): string {
  const jobs = (projects * openJobs).toLocaleString('en');
  const reads = readsPerMinute.toLocaleString('en');
  return `${jobs} open jobs, ${reads} reads a minute each, ${checksPerSecond.toLocaleString('en')} checks a second`;
}
