/** The program cannot start. The message tells the operator what happened, why, and what to do. */
export class StartError extends Error {
  /** It may pass by itself: another start, a little later, may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, cause?: unknown, isTemporary = false) {
    super(message, { cause });
    this.name = 'StartError';
    this.isTemporary = isTemporary;
  }
}
