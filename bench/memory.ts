import { setTimeout as pause } from 'node:timers/promises';
import { BARE, contender, contenders, OURS } from './support/contenders.ts';
import { spreadOf } from './support/percentiles.ts';
import { type RunningProcess, type StandIns, startStandIns } from './support/processes.ts';
import { type BenchSettings, takeTurns } from './support/rounds.ts';
import { type Bench, compare } from './support/rows.ts';
import { seedJobs } from './support/seeded.ts';

const MANY_JOBS = 30_000;
const WATCHING = 'docs-agent, watching';
const AT_FULL_SPEED = 'docs-agent, at full speed';
const SAMPLE_EVERY_MS = 250;
const WATCHED_FOR_MS = 600_000;
const QUICKLY_WATCHED_FOR_MS = 5_000;
const FULL_SPEED_FOR_MS = 60_000;
const BYTES_PER_MB = 1_000_000;

export const memory: Bench = {
  about: `Resident memory: idle; at most in ten minutes with many watched jobs, which are read as fast as the default settings allow; and at most while they are all read once as fast as possible, or for a minute. A is a bare Bolt app, idle.`,
  run: async (settings) => {
    const jobs = settings.quick ? 1_000 : MANY_JOBS;
    await using standIns = await startStandIns();
    await using seeded = await seedJobs(jobs);
    const idle = contenders([OURS, BARE], {
      settings,
      standIns,
      measure: async ({ process }) => ({ MB: await idleMb(process, settings) }),
    });
    const watching = (name: string, until: Until, env: Readonly<Record<string, string>>) =>
      contender(
        OURS,
        {
          settings,
          standIns,
          measure: ({ process }) => watchingMb(process, standIns, until),
          seed: seeded.copyTo,
          env,
        },
        name,
      );
    const durationMs = settings.quick ? QUICKLY_WATCHED_FOR_MS : WATCHED_FOR_MS;
    const all = [
      ...idle,
      watching(WATCHING, { durationMs, reads: Number.POSITIVE_INFINITY }, {}),
      watching(
        AT_FULL_SPEED,
        { durationMs: FULL_SPEED_FOR_MS, reads: jobs },
        { AGENT_READS_PER_MINUTE: '100000' },
      ),
    ];
    // Nothing here gets faster by being warm.
    const rounds = await takeTurns(all, { ...settings, warmUpRounds: 0 });
    const ours = [OURS, 'MB'] as const;
    return [
      compare(rounds, {
        label: 'idle',
        unit: 'MB',
        ours,
        reference: [BARE, 'MB'],
        target: { atMost: 1.5 },
      }),
      compare(rounds, {
        label: `watching ${jobs.toLocaleString('en')} jobs`,
        unit: 'MB',
        ours: [WATCHING, 'MB'],
        reference: ours,
        by: 'difference',
        target: { atMost: 40 },
      }),
      compare(rounds, {
        label: `reading ${jobs.toLocaleString('en')} jobs at full speed`,
        unit: 'MB',
        ours: [AT_FULL_SPEED, 'MB'],
        reference: ours,
        by: 'difference',
      }),
    ];
  },
};

async function idleMb(process: RunningProcess, { quick }: BenchSettings): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < (quick ? 4 : 24); sample += 1) {
    await pause(SAMPLE_EVERY_MS);
    samples.push(await process.residentBytes());
  }
  return spreadOf(samples).median / BYTES_PER_MB;
}

interface Until {
  readonly durationMs: number;
  readonly reads: number;
}

async function watchingMb(process: RunningProcess, standIns: StandIns, until: Until) {
  const reads = async () => (await standIns.counts()).get ?? 0;
  const before = await reads();
  let mostBytes = 0;
  let read = 0;
  for (let waitedMs = 0; read < until.reads && waitedMs < until.durationMs; waitedMs += SAMPLE_EVERY_MS) {
    await pause(SAMPLE_EVERY_MS);
    mostBytes = Math.max(mostBytes, await process.residentBytes());
    read = (await reads()) - before;
  }
  if (read === 0) throw new Error('no job was read');
  return { MB: mostBytes / BYTES_PER_MB, read };
}
