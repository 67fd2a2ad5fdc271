import type { Writable } from 'node:stream';

/** What may wait for a reader, in bytes: a thousand lines or more. */
const WAITING_MAX_BYTES = 256 * 1024;

/**
 * The log's way out. It never makes the program wait: while nobody reads, lines wait up to a limit, further ones are
 * dropped and counted, and the first line after that says how many.
 */
export class LogOutput {
  private readonly stream: Writable;
  private isBroken = false;
  private untold = 0;
  /** Lines that were dropped. */
  dropped = 0;

  constructor(stream: Writable) {
    this.stream = stream;
    // The reader has gone. A program that does its work without a log is better than none.
    stream.on('error', () => {
      this.isBroken = true;
    });
  }

  write(line: string): void {
    if (this.isBroken || this.stream.writableLength > WAITING_MAX_BYTES) {
      this.dropped += 1;
      this.untold += 1;
      return;
    }
    if (this.untold > 0) {
      const told = { level: 'warn', time: new Date().toISOString(), event: 'log_lines_dropped' };
      this.stream.write(`${JSON.stringify({ ...told, lines: this.untold })}\n`);
      this.untold = 0;
    }
    this.stream.write(line);
  }

  /** Resolves when all lines are out. */
  flush(): Promise<void> {
    if (this.isBroken || this.stream.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.stream.write('', () => resolve());
    });
  }
}
