import { startStandIns } from './support/processes.ts';
import type { Bench } from './support/rows.ts';
import { seedJobs } from './support/seeded.ts';
import { replies } from './support/slack-traffic.ts';
import { throughputRows } from './support/throughput.ts';

const THREADS = 500;

export const events: Bench = {
  about: `Replies acknowledged a second in the threads of ${THREADS} jobs: A is a bare Bolt app that forgets, B writes one row to SQLite for each. Other answers are those to GETs on a connection of their own.`,
  isOfDisk: true,
  run: async (settings) => {
    await using standIns = await startStandIns();
    await using seeded = await seedJobs(THREADS);
    return await throughputRows({
      settings,
      standIns,
      env: { AGENT_HOURLY_BUDGET: '100000' },
      requests: () => replies(THREADS),
      table: 'follow_up',
      label: 'replies',
      work: { call: null, label: 'calls made' },
      seed: seeded.copyTo,
    });
  },
};
