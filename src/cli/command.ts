import type { Environment } from '../app/config/values.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** What a command needs from its process; only `cli.ts` has the real one. */
export interface ProcessEvents {
  /** `disconnect`: the parent process that has a channel to this one has ended. */
  on(event: StopSignal | 'disconnect', listener: () => void): unknown;
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

export interface Host {
  readonly env: Environment;
  readonly process: ProcessEvents;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Runs to its end and resolves to the exit code. `args` follow the command's name, to be read with
 * `parseArgs`: its errors, like a UsageError, are shown with the command's usage.
 */
export type Run = (args: string[], host: Host) => Promise<number>;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** From sysexits.h: a supervisor can tell a passing problem from a mistake, and both from a crash. */
export const EXIT_USAGE = 64;
export const EXIT_TEMPORARY = 75;
export const EXIT_CONFIG = 78;
