import { startProgram, startStandIns } from '../support/processes.ts';
import { type Figures, takeTurns } from '../support/rounds.ts';
import { type Bench, compare } from '../support/rows.ts';
import { createPostgresStore } from '../support/stores.ts';
import { type Look, lookAtReads, readOn, watchJobs } from './watch.ts';

const JOBS = 30_000;
const QUICK_JOBS = 2_000;
const MINUTES = 10;
const QUICK_MINUTES = 2;
const MINUTE_MS = 60_000;
const QUICK_MINUTE_MS = 1_500;
/** A stall makes a window longer, and its rate lower. */
const LOOK_EVERY_MS = 1_000;
const OURS = 'docs-agent';

export const steady: Bench = {
  about: `Whether checks per second of ${JOBS.toLocaleString('en')} watched jobs that are all due stay the same for ${MINUTES} minutes on Postgres, where each check leaves dead rows.`,
  run: async (settings) => {
    await using store = await createPostgresStore();
    if (store === null) {
      console.error('  not measured: TEST_DATABASE_URL names no Postgres');
      return [];
    }
    const { quick } = settings;
    const env = await watchJobs(store, quick ? QUICK_JOBS : JOBS);
    const measure = async (): Promise<Figures> => {
      await using standIns = await startStandIns();
      await using program = await startProgram({ settings, standIns, dataDir: store.dataDir, env });
      const minuteMs = quick ? QUICK_MINUTE_MS : MINUTE_MS;
      const perSecond: number[] = [];
      let slowest = Number.POSITIVE_INFINITY;
      let from = await readOn(standIns, await lookAtReads(standIns), 0);
      for (let minute = 1; minute <= (quick ? QUICK_MINUTES : MINUTES); minute += 1) {
        const start = from;
        while (from.atMs - start.atMs < minuteMs) {
          const until = await readOn(standIns, from, Math.min(LOOK_EVERY_MS, minuteMs));
          slowest = Math.min(slowest, rateOf(from, until));
          from = until;
        }
        perSecond.push(rateOf(start, from));
        settings.note(`minute ${minute}: ${Math.round(rateOf(start, from))} a second`);
      }
      await program.stop();
      return { first: perSecond[0] ?? 0, last: perSecond.at(-1) ?? 0, slowest };
    };
    const rounds = await takeTurns([{ name: OURS, measure }], { ...settings, warmUpRounds: 0 });
    const row = (label: string, figure: string) =>
      ({ label, unit: 'a second', ours: [OURS, figure], reference: [OURS, 'first'] }) as const;
    return [
      compare(rounds, { ...row('last minute, against the first', 'last'), target: { atLeast: 0.9 } }),
      compare(rounds, row('slowest second, against the first minute', 'slowest')),
    ];
  },
};

function rateOf(from: Look, until: Look): number {
  return ((until.reads - from.reads) * 1_000) / (until.atMs - from.atMs);
}
