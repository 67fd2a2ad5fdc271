import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DISK_SIZE = '256M';
/**
 * `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH` (Linux, fs/ext4/ext4.h): the file system stops as in a power
 * cut. What was not flushed is lost.
 */
const CUT =
  'open(my $disk, "<", $ARGV[0]) or die; my $flags = pack("L", 2); ioctl($disk, 0x8004587D, $flags) or die $!';

/** A disk with ext4, whose power can be cut. */
export interface CutDisk extends Disposable {
  readonly path: string;
  cutPower(): void;
  /** The disk as it is found after the power is back. No file on it may be open. */
  restart(): void;
}

/** Why this machine gives no such disk to a test, or null. */
export const noCutDisk: string | null = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return 'only root on Linux may mount a disk';
  try {
    using disk = mountCutDisk();
    disk.cutPower();
    disk.restart();
    return null;
  } catch {
    return 'this machine does not allow to mount an ext4 disk, or to cut its power';
  }
}

export function mountCutDisk(): CutDisk {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-power-'));
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  run('truncate', '-s', DISK_SIZE, image);
  run('mkfs.ext4', '-q', image);
  run('mkdir', path);
  const mount = () => run('mount', '-o', 'loop', image, path);
  mount();
  return {
    path,
    cutPower: () => run('perl', '-e', CUT, path),
    restart: () => {
      run('umount', path);
      mount();
    },
    [Symbol.dispose]: () => {
      run('umount', path);
      rmSync(folder, { recursive: true });
    },
  };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}
