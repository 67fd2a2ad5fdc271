import { setTimeout as pause } from 'node:timers/promises';
import { BARE, contender, contenders, OURS } from './support/contenders.ts';
import { spreadOf } from './support/percentiles.ts';
import { type RunningProcess, type StandIns, startStandIns } from './support/processes.ts';
import type { BenchSettings } from './support/rounds.ts';
import { takeTurns } from './support/rounds.ts';
import { type Bench, compare } from './support/rows.ts';
import { seedJobs } from './support/seeded.ts';

const MANY_JOBS = 30_000;
const WATCHING = 'docs-agent, watching';
const SAMPLE_EVERY_MS = 250;
const WATCH_LIMIT_MS = 60_000;
const BYTES_PER_MB = 1_000_000;

export const memory: Bench = {
  about: `Resident memory: idle, and at most while many watched jobs are read once, or for a minute. A is a bare Bolt app, idle.`,
  run: async (settings) => {
    const jobs = settings.quick ? 1_000 : MANY_JOBS;
    await using standIns = await startStandIns();
    await using seeded = await seedJobs(jobs);
    const idle = contenders([OURS, BARE], {
      settings,
      standIns,
      measure: async ({ process }) => ({ MB: await idleMb(process, settings) }),
    });
    const watching = contender(
      OURS,
      {
        settings,
        standIns,
        measure: ({ process }) => watchingMb(process, standIns, jobs),
        seed: seeded.copyTo,
        env: { AGENT_READS_PER_MINUTE: '100000' },
      },
      WATCHING,
    );
    // Nothing here gets faster by being warm.
    const rounds = await takeTurns([...idle, watching], { ...settings, warmUpRounds: 0 });
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
        target: { atMost: 60 },
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

async function watchingMb(process: RunningProcess, standIns: StandIns, jobs: number) {
  const reads = async () => (await standIns.counts()).get ?? 0;
  const before = await reads();
  let mostBytes = 0;
  let read = 0;
  for (let waitedMs = 0; read < jobs && waitedMs < WATCH_LIMIT_MS; waitedMs += SAMPLE_EVERY_MS) {
    await pause(SAMPLE_EVERY_MS);
    mostBytes = Math.max(mostBytes, await process.residentBytes());
    read = (await reads()) - before;
  }
  if (read === 0) throw new Error('no job was read');
  return { MB: mostBytes / BYTES_PER_MB, read };
}
