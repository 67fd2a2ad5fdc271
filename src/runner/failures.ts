/** The message is a sentence for people. */
export class TurnFailedError extends Error {
  override readonly name = 'TurnFailedError';
}

export class TurnStoppedError extends Error {
  override readonly name = 'TurnStoppedError';
  readonly by: 'caller' | 'time_limit' | 'runner';

  constructor(by: TurnStoppedError['by']) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

export const STOPPED_BY_CALLER = 'Stopped by a caller of the API.';
