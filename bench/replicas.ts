import { measureReads, watchJobs } from './checks/watch.ts';
import { startProgram, startStandIns } from './support/processes.ts';
import { type Contender, takeTurns } from './support/rounds.ts';
import { type Bench, compare } from './support/rows.ts';
import { createPostgresStore } from './support/stores.ts';

const JOBS = 30_000;
const QUICK_JOBS = 2_000;
const REPLICAS = [1, 2, 3];

export const replicas: Bench = {
  about: `Checks per second of ${JOBS.toLocaleString('en')} watched jobs that are all due, by one, two and three replicas on one Postgres, all on this machine.`,
  run: async (settings) => {
    await using cleanup = new AsyncDisposableStack();
    const standIns = cleanup.use(await startStandIns());
    const store = await createPostgresStore();
    if (store === null) {
      console.error('  not measured: TEST_DATABASE_URL names no Postgres');
      return [];
    }
    cleanup.use(store);
    const env = await watchJobs(store, settings.quick ? QUICK_JOBS : JOBS);
    const contenders = REPLICAS.map(
      (count): Contender => ({
        name: nameOf(count),
        measure: async () => {
          await using running = new AsyncDisposableStack();
          const programs = [];
          for (let started = 0; started < count; started += 1) {
            const { dataDir } = store;
            programs.push(running.use(await startProgram({ settings, standIns, dataDir, env })));
          }
          const perSecond = await measureReads(standIns, settings);
          await Promise.all(programs.map((program) => program.stop()));
          return { perSecond };
        },
      }),
    );
    const rounds = await takeTurns(contenders, settings);
    return REPLICAS.slice(1).map((count) =>
      compare(rounds, {
        label: nameOf(count),
        unit: 'a second',
        ours: [nameOf(count), 'perSecond'],
        reference: [nameOf(1), 'perSecond'],
      }),
    );
  },
};

function nameOf(count: number): string {
  return count === 1 ? '1 replica' : `${count} replicas`;
}
