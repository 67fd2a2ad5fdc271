/** The program cannot start. The message tells the operator what happened, why, and what to do. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
  }
}
