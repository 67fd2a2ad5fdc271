import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A part of every Linux. */
const CHATTR = 'chattr';

/** Why this machine cannot take writing away from a program that has a file open, or null. */
export const cannotForbidWriting: string | null = whyNot();

function whyNot(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-unwritable-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  try {
    forbidWriting([file])[Symbol.dispose]();
    return null;
  } catch {
    return 'only root on Linux can forbid writing, and not on every file system';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Until it is allowed again, the disk refuses every write to the files, even through open handles: so
 * does a disk that fails. (None can be made read-only while a program has a file open for writing.)
 */
export function forbidWriting(files: readonly string[]): Disposable & { allow(): void } {
  const change = (how: '+i' | '-i') => execFileSync(CHATTR, [how, ...files], { stdio: 'pipe' });
  change('+i');
  const allow = () => {
    change('-i');
  };
  return { allow, [Symbol.dispose]: allow };
}
