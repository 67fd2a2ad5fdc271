import { BARE, contenders, DURABLE, OURS, type Turn } from './support/contenders.ts';
import { sendLoad } from './support/load.ts';
import { percentile } from './support/percentiles.ts';
import { type StandIns, startStandIns, untilIdle } from './support/processes.ts';
import { type BenchSettings, type Figures, takeTurns } from './support/rounds.ts';
import { type Bench, compare, type Row } from './support/rows.ts';
import { commands, PEOPLE } from './support/slack-traffic.ts';

/** Long enough for the program to be done with a command before the next one comes. */
const PAUSE_MS = 20;

export const ack: Bench = {
  about:
    'From a signed slash command to its acknowledgement, one at a time: A is a bare Bolt app that forgets, B writes one row to SQLite first.',
  isOfDisk: true,
  run: async (settings) => {
    await using standIns = await startStandIns();
    const measure = ({ process }: Turn) => measureLatency(process.port, standIns, settings);
    // Watching would go on for as long as the jobs do: what is waited for is that their threads are as they should be.
    const env = { AGENT_HOURLY_BUDGET: '100000', POLL_MIN_INTERVAL: '1h', POLL_MAX_INTERVAL: '1h' };
    const isSlowDisk = settings.disk.flushDelayMs > 0;
    const names = isSlowDisk ? ([OURS, DURABLE] as const) : ([OURS, BARE, DURABLE] as const);
    const all = contenders(names, { settings, standIns, measure, env });
    const rounds = await takeTurns(all, settings);
    const rows = (label: string, figure: string, atMost: number): Row[] => {
      const same = { label, unit: 'ms', ours: [OURS, figure] } as const;
      const toDurable = compare(rounds, { ...same, reference: [DURABLE, figure], target: { atMost } });
      return isSlowDisk ? [toDurable] : [toDurable, compare(rounds, { ...same, reference: [BARE, figure] })];
    };
    return [
      ...rows(`p50, one each ${PAUSE_MS} ms`, 'p50', 1.2),
      ...rows(`p99, one each ${PAUSE_MS} ms`, 'p99', isSlowDisk ? 1.2 : 1.5),
      ...rows('p50, without a pause', 'p50 busy', isSlowDisk ? 1.2 : 3),
      ...rows('p99, without a pause', 'p99 busy', isSlowDisk ? 1.2 : 3),
    ];
  },
};

async function measureLatency(port: number, standIns: StandIns, { quick }: BenchSettings): Promise<Figures> {
  const next = commands();
  const count = quick ? 50 : 300;
  // Of whom the program does not know, it asks Slack first: at most once in ten minutes.
  await sendLoad({ port, next, atOnce: 1, until: { count: quick ? count : PEOPLE } });
  await untilIdle(standIns);
  const paced = await sendLoad({ port, next, atOnce: 1, until: { count }, everyMs: PAUSE_MS });
  const busy = await sendLoad({ port, next, atOnce: 1, until: { durationMs: quick ? 300 : 2_000 } });
  return {
    p50: percentile(paced.latenciesMs, 0.5),
    p99: percentile(paced.latenciesMs, 0.99),
    'p50 busy': percentile(busy.latenciesMs, 0.5),
    'p99 busy': percentile(busy.latenciesMs, 0.99),
  };
}
