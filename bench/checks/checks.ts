import type { Bench } from '../support/bench.ts';
import { referencePath } from '../support/build.ts';
import { startNode, startProgram } from '../support/processes.ts';
import { type Contender, takeTurns } from '../support/rounds.ts';
import { compare } from '../support/rows.ts';
import { startStandIns } from '../support/stand-ins.ts';
import { createStores } from '../support/stores.ts';
import { measureReads, watchJobs } from './watch.ts';

const JOBS = 30_000;
const QUICK_JOBS = 2_000;
/** As the program does. */
const AT_ONCE = 32;
const BARE = 'bare undici loop';

export const checks: Bench = {
  about: `Checks per second of ${JOBS.toLocaleString('en')} watched jobs that are all due, each checked and rescheduled durably, against a loop that only reads, as many at once.`,
  run: async (settings) => {
    const jobs = settings.quick ? QUICK_JOBS : JOBS;
    await using cleanup = new AsyncDisposableStack();
    const standIns = cleanup.use(await startStandIns());
    const bare: Contender = {
      name: BARE,
      measure: async () => {
        const env = { AGENT_BASE_URL: standIns.agentBaseUrl, AT_ONCE: String(AT_ONCE), JOBS: String(jobs) };
        await using _reader = await startNode([referencePath('bare-reader')], env);
        return { perSecond: await measureReads(standIns, settings) };
      },
    };
    const ours: Contender[] = [];
    for (const store of await createStores()) {
      cleanup.use(store);
      const env = await watchJobs(store, jobs);
      const { name, dataDir } = store;
      const measure = async () => {
        await using program = await startProgram({ settings, standIns, dataDir, env });
        const perSecond = await measureReads(standIns, settings);
        await program.stop();
        return { perSecond };
      };
      ours.push({ name, measure });
    }
    const rounds = await takeTurns([bare, ...ours], settings);
    return ours.map(({ name }) =>
      compare(rounds, {
        label: name,
        unit: 'a second',
        ours: [name, 'perSecond'],
        reference: [BARE, 'perSecond'],
        target: { atLeast: 0.3 },
      }),
    );
  },
};
