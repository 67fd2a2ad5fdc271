import { isDiskFull } from '#store/engines/database.ts';

/** The message is a sentence for people. */
export class TurnFailedError extends Error {
  override readonly name = 'TurnFailedError';
}

export class DiskFullError extends TurnFailedError {}

export class TurnStoppedError extends Error {
  override readonly name = 'TurnStoppedError';
  readonly by: 'caller' | 'time_limit' | 'runner';

  constructor(by: TurnStoppedError['by']) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

export const STOPPED_BY_CALLER = 'Stopped by a caller of the API.';
export const DISK_FULL = "The runner's disk is full.";

/** For people. */
export function reasonOf(error: unknown): string {
  if (error instanceof TurnFailedError) return error.message;
  return isDiskFull(error) ? DISK_FULL : 'The runner failed; its log says why.';
}
