import { startStandIns } from './support/processes.ts';
import type { Bench } from './support/rows.ts';
import { commands } from './support/slack-traffic.ts';
import { throughputRows } from './support/throughput.ts';

export const ackLoad: Bench = {
  about:
    'Slash commands acknowledged a second while the program works on those before: A is a bare Bolt app that forgets, B writes one row to SQLite for each.',
  run: async (settings) => {
    await using standIns = await startStandIns();
    const rows = [];
    for (const atOnce of [16, 64]) {
      const env = { AGENT_HOURLY_BUDGET: '100000' };
      const what = { requests: commands, table: 'job', label: 'commands' } as const;
      rows.push(...(await throughputRows({ settings, standIns, atOnce, env, ...what })));
    }
    return rows;
  },
};
