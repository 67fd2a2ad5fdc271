import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../../src/store/open.ts';
import { storeWatchedJobs } from '../../test/support/watched-jobs.ts';
import type { BenchSettings } from '../support/bench.ts';
import { slackApp } from '../support/processes.ts';
import type { StandIns } from '../support/stand-ins.ts';
import type { BenchStore } from '../support/stores.ts';

/** As much as the setting allows. It is for one project: so there are many, and it holds nobody back. */
const READS_PER_MINUTE = 100_000;
const PROJECTS = 20;
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

/** How many jobs are read in a second, once it goes evenly. Throws if none is. */
export async function measureReads(standIns: StandIns, { quick }: BenchSettings): Promise<number> {
  await pause(quick ? 500 : 4_000);
  const before = await standIns.counts();
  const beganAtMs = performance.now();
  await pause(quick ? 500 : 6_000);
  const after = await standIns.counts();
  const reads = (after.get ?? 0) - (before.get ?? 0);
  if (reads === 0) throw new Error('no job was read');
  return (reads * 1_000) / (performance.now() - beganAtMs);
}
