import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PAGE_BYTES = 4096;

/** A disk of its own, of a few megabytes. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** From now on, not another byte can be written, or only so many. */
  fill(freeBytes?: number): void;
  makeRoom(): void;
}

/** Why this machine gives no disk to a test, or null. */
export const noSmallDisk: string | null = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return 'only root on Linux may mount a disk';
  try {
    mountSmallDisk()[Symbol.dispose]();
    return null;
  } catch {
    return 'this machine does not allow to mount a disk';
  }
}

export function mountSmallDisk(): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'docs-agent-disk-'));
  run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path);
  const filler = join(path, 'filler');
  return {
    path,
    fill: (freeBytes = 0) => {
      writeUntilFull(filler);
      truncateSync(filler, statSync(filler).size - freeBytes);
    },
    makeRoom: () => rmSync(filler),
    [Symbol.dispose]: () => {
      // A process that has not ended yet may use it still.
      run('umount', '--lazy', path);
      rmdirSync(path);
    },
  };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(PAGE_BYTES));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}
