import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps it in memory. */
const SHARED_MEMORY = '/dev/shm';

/** An empty folder where a commit is quick: thousands of them are made here, and no power fails. */
export async function createQuickFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const parent = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const path = await mkdtemp(join(parent, 'docs-agent-model-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
