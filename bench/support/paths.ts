import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function inProject(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder on the disk of the project: the system's folder for such things may be in memory. */
export async function createScratch(): Promise<Scratch> {
  await mkdir(inProject('bench/scratch'), { recursive: true });
  const path = await mkdtemp(join(inProject('bench/scratch'), 'run-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
