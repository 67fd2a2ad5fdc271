import type { Environment } from '#app/config/values.ts';

export type Host = Readonly<{ env: Environment; now: () => number }>;

/** Resolves to the exit code. Usage follows a UsageError or an error of `parseArgs`. */
export type Run = (args: string[], host: Host) => Promise<number>;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** From sysexits.h, for supervisors. */
export const EXIT_USAGE = 64;
export const EXIT_TEMPORARY = 75;
export const EXIT_CONFIG = 78;
