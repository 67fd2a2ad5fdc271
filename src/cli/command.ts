import type { Environment } from '../app/config/values.ts';

/** What a command needs from its process; only `cli.ts` has the real one. */
export interface ProcessEvents {
  /** `disconnect`: the parent process that has a channel to this one has ended. */
  on(event: 'SIGTERM' | 'SIGINT' | 'disconnect', listener: () => void): unknown;
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

export interface Host {
  readonly env: Environment;
  readonly process: ProcessEvents;
  readonly now: () => number;
}

/** Resolves to the exit code. Errors of `parseArgs`, like a UsageError, are shown with the command's usage. */
export type Run = (args: string[], host: Host) => Promise<number>;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** From sysexits.h: a supervisor can tell a passing problem from a mistake, and both from a crash. */
export const EXIT_USAGE = 64;
export const EXIT_TEMPORARY = 75;
export const EXIT_CONFIG = 78;
