import { cp } from 'node:fs/promises';
import { openStore } from '../../src/store/open.ts';
import { storeWatchedJobs } from '../../test/support/watched-jobs.ts';
import { createScratch } from './paths.ts';
import { slackApp } from './processes.ts';

/** A folder with a store of watched jobs, all due to be checked, which is copied for each turn. */
export interface Seeded extends AsyncDisposable {
  readonly copyTo: (dataDir: string) => Promise<void>;
}

export async function seedJobs(jobs: number): Promise<Seeded> {
  const scratch = await createScratch();
  const store = await openStore({ dataDir: scratch.path });
  const nowMs = Date.now();
  await storeWatchedJobs(store, { jobs, projectIds: [slackApp.projectId], dueAtMs: () => nowMs });
  await store.close();
  return {
    copyTo: (dataDir) => cp(scratch.path, dataDir, { recursive: true }),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  };
}
