import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/**
 * Becomes the program in `$@`, and leaves a guard behind: once its standard input closes, which happens when
 * this process ends, however it ends, the guard kills the process group. Takes nothing from the PATH.
 */
const GUARDED = `
exec 3<&0
{ read -r _ <&3; kill -KILL -$$; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Runs a command as a child that never outlives this process. Its standard input is the guard's: destroying it
 * kills the child.
 */
export function spawnGuarded(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ChildProcessWithoutNullStreams {
  // A process group of its own, for the guard to kill.
  return spawn('/bin/sh', ['-c', GUARDED, 'guarded', ...command], { env, detached: true });
}
