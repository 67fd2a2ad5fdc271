import { referencePath } from '../support/build.ts';
import { startNode, startProgram, startStandIns } from '../support/processes.ts';
import { rateRows } from '../support/rates.ts';
import type { Bench } from '../support/rows.ts';
import { measureReads, watchJobs } from './watch.ts';

const JOBS = 30_000;
const QUICK_JOBS = 2_000;
/** As the program does. */
const AT_ONCE = 64;

export const checks: Bench = {
  about: `Checks per second of ${JOBS.toLocaleString('en')} watched jobs that are all due, each claimed, checked and rescheduled, against a loop that only reads, as many at once.`,
  run: async (settings) => {
    const jobs = settings.quick ? QUICK_JOBS : JOBS;
    await using standIns = await startStandIns();
    const measureBare = async () => {
      const env = { AGENT_BASE_URL: standIns.agentBaseUrl, AT_ONCE: String(AT_ONCE), JOBS: String(jobs) };
      await using _reader = await startNode([referencePath('bare-reader')], env);
      return await measureReads(standIns, settings);
    };
    return await rateRows({
      settings,
      reference: { name: 'bare undici loop', measure: measureBare },
      prepare: async (store) => {
        const env = await watchJobs(store, jobs);
        return async () => {
          await using program = await startProgram({ settings, standIns, dataDir: store.dataDir, env });
          const perSecond = await measureReads(standIns, settings);
          await program.stop();
          return perSecond;
        };
      },
      target: { atLeast: 0.3 },
    });
  },
};
