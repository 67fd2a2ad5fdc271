import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../../src/store/open.ts';
import { storeWatchedJobs } from '../../test/support/watched-jobs.ts';
import { type StandIns, slackApp } from '../support/processes.ts';
import type { BenchSettings } from '../support/rounds.ts';
import { type BenchStore, changeStore } from '../support/stores.ts';

/** As much as the setting allows. It is for one project: so there are many, and it holds nobody back. */
const READS_PER_MINUTE = 100_000;
const PROJECTS = 20;
const LOOK_EVERY_MS = 20;
/** Jobs that were read together are due together, a second later: a shorter window would see them all, or none. */
const QUICK_WINDOW_MS = 1_500;
/** A busy machine is no fault of the program. */
const LIMIT_MS = 60_000;
const projectIds = [
  slackApp.projectId,
  ...Array.from({ length: PROJECTS - 1 }, (_, index) => `${slackApp.projectId}-${index + 2}`),
];

/** Fills the store with jobs that are all to be checked, again and again. Returns what the program needs for that. */
export async function watchJobs(
  { location, env, dataDir }: BenchStore,
  jobs: number,
): Promise<Readonly<Record<string, string>>> {
  const store = await openStore(location);
  await storeWatchedJobs(store, { jobs, projectIds, dueAtMs: Date.now });
  await store.close();
  // As Postgres does by itself within a minute.
  if ('databaseUrl' in location) await changeStore(location, 'analyze');
  const configFile = join(dataDir, 'docs-agent.yml');
  await writeFile(configFile, JSON.stringify({ projects: projectIds.map((id) => ({ id })) }));
  return {
    ...env,
    DOCS_AGENT_CONFIG: configFile,
    AGENT_READS_PER_MINUTE: String(READS_PER_MINUTE),
    POLL_MIN_INTERVAL: '1s',
    POLL_MAX_INTERVAL: '1s',
  };
}

/** How many jobs are read in a second, once it goes evenly. Throws if none is, however long it takes. */
export async function measureReads(standIns: StandIns, { quick }: BenchSettings): Promise<number> {
  const first = await readOn(standIns, await lookAtReads(standIns), 0);
  const before = await readOn(standIns, first, quick ? QUICK_WINDOW_MS : 4_000);
  const after = await readOn(standIns, before, quick ? QUICK_WINDOW_MS : 6_000);
  return ((after.reads - before.reads) * 1_000) / (after.atMs - before.atMs);
}

/** The reads after this time, or later, once there was one. Throws if there is none. */
export async function readOn(standIns: StandIns, since: Look, durationMs: number): Promise<Look> {
  for (;;) {
    await pause(Math.max(since.atMs + durationMs - performance.now(), LOOK_EVERY_MS));
    const now = await lookAtReads(standIns);
    if (now.reads > since.reads) return now;
    if (now.atMs > since.atMs + LIMIT_MS) throw new Error('no job was read');
  }
}

export interface Look {
  readonly reads: number;
  readonly atMs: number;
}

export async function lookAtReads(standIns: StandIns): Promise<Look> {
  const { get: reads = 0 } = await standIns.counts();
  return { reads, atMs: performance.now() };
}
