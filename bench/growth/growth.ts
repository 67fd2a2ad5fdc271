import { setTimeout as pause } from 'node:timers/promises';
import { type Look, lookAtReads, measureReads, readOn, watchJobs } from '../checks/watch.ts';
import { type LoadRequest, sendLoad } from '../support/load.ts';
import { percentile } from '../support/percentiles.ts';
import { type RunningProcess, type StandIns, startProgram, startStandIns } from '../support/processes.ts';
import { type BenchSettings, type Contender, type Figures, takeTurns } from '../support/rounds.ts';
import { type Bench, compare } from '../support/rows.ts';
import { commands } from '../support/slack-traffic.ts';
import { type BenchStore, changeStore, createStores } from '../support/stores.ts';
import { storeOldJobs } from './old-jobs.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const QUICK_SIZES = [100, 1_000];
/** More than can be checked in the second after which each is due again: so they are checked as fast as can be. */
const WATCHED = 30_000;
const QUICK_WATCHED = 200;
/** Long enough for the program to be done with a command before the next one comes. */
const PAUSE_MS = 20;
const QUIET_MS = 500;

interface Grown {
  readonly contender: Contender;
  readonly kind: BenchStore['name'];
  readonly oldJobs: number;
}

export const growth: Bench = {
  about: `What the acknowledgement of a command, and a check, take with many jobs in the store that are over, against few; ${WATCHED.toLocaleString('en')} more are watched.`,
  run: async (settings) => {
    await using cleanup = new AsyncDisposableStack();
    const standIns = cleanup.use(await startStandIns());
    const all: Grown[] = [];
    for (const oldJobs of settings.quick ? QUICK_SIZES : SIZES) {
      for (const store of await createStores()) {
        cleanup.use(store);
        console.error(`  filling ${nameOf(store.name, oldJobs)}`);
        await storeOldJobs(store.location, oldJobs);
        const contender = await contenderOn(store, oldJobs, settings, standIns);
        all.push({ contender, kind: store.name, oldJobs });
      }
    }
    const rounds = await takeTurns(
      all.map(({ contender }) => contender),
      settings,
    );
    return all.flatMap(({ contender, kind, oldJobs }) => {
      const few = all.find((other) => other.kind === kind)?.contender.name;
      if (few === undefined || few === contender.name) return [];
      const row = (what: string, figure: string) =>
        compare(rounds, {
          label: `${nameOf(kind, oldJobs)}: ${what}`,
          unit: 'ms',
          ours: [contender.name, figure],
          reference: [few, figure],
          target: { atMost: 1.2 },
        });
      return [row('acknowledgement, p50', 'acknowledgeMs'), row('check', 'checkMs')];
    });
  },
};

function nameOf(kind: string, oldJobs: number): string {
  return `${kind}, ${oldJobs.toLocaleString('en')} old jobs`;
}

/** Its store is kept for all of its turns. */
async function contenderOn(
  store: BenchStore,
  oldJobs: number,
  settings: BenchSettings,
  standIns: StandIns,
): Promise<Contender> {
  const env = await watchJobs(store, settings.quick ? QUICK_WATCHED : WATCHED);
  const { location, dataDir } = store;
  // Each command of all turns is a new one to this store.
  const next = commands();
  return {
    name: nameOf(store.name, oldJobs),
    measure: async (): Promise<Figures> => {
      // The turn before has left them for an hour later.
      await changeStore(location, `update task set run_at = 0 where kind = 'check_job'`);
      await using checking = await startProgram({ settings, standIns, dataDir, env });
      const perSecond = await measureReads(standIns, settings);
      await checking.stop();
      const rarely = { ...env, POLL_MIN_INTERVAL: '1h', POLL_MAX_INTERVAL: '1h' };
      const before = await lookAtReads(standIns);
      await using idle = await startProgram({ settings, standIns, dataDir, env: rarely });
      await checksAreDone(standIns, before);
      const acknowledgeMs = await measureAcknowledgement(idle, next, settings);
      await idle.stop();
      return { checkMs: 1_000 / perSecond, acknowledgeMs };
    },
  };
}

/** Waits until they have begun, and nothing is read any more. */
async function checksAreDone(standIns: StandIns, before: Look): Promise<void> {
  let last = await readOn(standIns, before, 0);
  for (;;) {
    await pause(QUIET_MS);
    const now = await lookAtReads(standIns);
    if (now.reads === last.reads) return;
    last = now;
  }
}

async function measureAcknowledgement(
  { port }: RunningProcess,
  next: () => LoadRequest,
  { quick }: BenchSettings,
): Promise<number> {
  const load = (durationMs: number) =>
    sendLoad({ port, next, atOnce: 1, until: { durationMs }, everyMs: PAUSE_MS });
  await load(quick ? 300 : 2_000);
  const { latenciesMs } = await load(quick ? 500 : 4_000);
  return percentile(latenciesMs, 0.5);
}
