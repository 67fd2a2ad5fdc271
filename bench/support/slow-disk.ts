import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inProject } from './paths.ts';

const run = promisify(execFile);

/**
 * The environment in which each flush of a process to the disk takes so much longer: put before the C library, through
 * which both SQLite and Node flush. Null where that is not possible, without a C compiler or outside of Linux.
 */
export async function slowDiskEnv(flushDelayMs: number): Promise<Readonly<Record<string, string>> | null> {
  const library = process.platform === 'linux' ? await compiled() : null;
  return library === null ? null : { LD_PRELOAD: library, FLUSH_DELAY_US: String(flushDelayMs * 1_000) };
}

async function compiled(): Promise<string | null> {
  const library = inProject('bench/scratch/slow-disk.so');
  // Another bench may be using the library.
  const own = `${library}.${process.pid}`;
  await mkdir(inProject('bench/scratch'), { recursive: true });
  try {
    await run('cc', ['-shared', '-fPIC', '-o', own, inProject('bench/support/slow-disk.c'), '-ldl']);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  await rename(own, library);
  return library;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
