import type { Environment } from '../app/config/values.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** What of its process a command needs; only `cli.ts` has the real one. */
export interface ProcessEvents {
  on(event: StopSignal, listener: () => void): unknown;
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

export interface Host {
  readonly env: Environment;
  readonly process: ProcessEvents;
}

/**
 * Runs to its end and resolves to the exit code. `args` is what follows the command's name; it reads them with
 * `parseArgs`, whose errors, like a UsageError, are told with the command's usage.
 */
export type Run = (args: string[], host: Host) => Promise<number>;

/** The command was called in a way that makes no sense; the message says how it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** From sysexits.h, so that a supervisor can tell what may pass by itself from a mistake, and both from a crash. */
export const EXIT_USAGE = 64;
export const EXIT_TEMPORARY = 75;
export const EXIT_CONFIG = 78;
