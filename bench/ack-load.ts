import { startStandIns } from './support/processes.ts';
import type { Bench } from './support/rows.ts';
import { commands } from './support/slack-traffic.ts';
import { throughputRows } from './support/throughput.ts';

export const ackLoad: Bench = {
  about:
    'Slash commands acknowledged a second while the program works on those before: A is a bare Bolt app that forgets, B writes one row to SQLite for each. Other answers are those to GETs on a connection of their own.',
  isOfDisk: true,
  run: async (settings) => {
    await using standIns = await startStandIns();
    return await throughputRows({
      settings,
      standIns,
      env: { AGENT_HOURLY_BUDGET: '100000' },
      requests: commands,
      table: 'job',
      label: 'commands',
      work: { call: 'chat.postMessage', label: 'cards posted' },
    });
  },
};
