/** What Slack sent can never be taken in. Its message names what is wrong, and holds nothing of the content. */
export class GestureRefusedError extends Error {
  /** Of the answer, in HTTP mode. */
  readonly status: 400 | 404;

  constructor(status: GestureRefusedError['status'], message: string) {
    super(message);
    this.name = 'GestureRefusedError';
    this.status = status;
  }
}
