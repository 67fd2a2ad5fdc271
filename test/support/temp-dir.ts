import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDir extends AsyncDisposable {
  readonly path: string;
  remove(): Promise<void>;
}

/** An empty folder: `await using folder = await createTempDir()`, or `remove` it in an `afterEach`. */
export async function createTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'docs-agent-test-'));
  const remove = () => rm(path, { recursive: true, force: true });
  return { path, remove, [Symbol.asyncDispose]: remove };
}
