import { openStore } from '../src/store/open.ts';
import { storeWatchedJobs } from '../test/support/watched-jobs.ts';
import type { Bench } from './support/bench.ts';
import { slackApp } from './support/processes.ts';
import { replies } from './support/slack-traffic.ts';
import { startStandIns } from './support/stand-ins.ts';
import { throughputRows } from './support/throughput.ts';

const THREADS = 500;

export const events: Bench = {
  about: `Replies acknowledged a second in the threads of ${THREADS} jobs: A is a bare Bolt app that forgets, B writes one row to SQLite for each.`,
  run: async (settings) => {
    await using standIns = await startStandIns();
    return await throughputRows({
      settings,
      standIns,
      atOnce: 16,
      env: { AGENT_HOURLY_BUDGET: '100000' },
      requests: () => replies(THREADS),
      table: 'follow_up',
      label: 'replies',
      seed: storeJobs,
    });
  },
};

async function storeJobs(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir });
  await storeWatchedJobs(store, {
    jobs: THREADS,
    projectIds: [slackApp.projectId],
    dueAtMs: () => Date.now() + 60_000 * Math.random(),
  });
  await store.close();
}
