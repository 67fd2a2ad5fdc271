import type { Writable } from 'node:stream';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { type LogFields, type Logger, type LogLevel, redact } from '../../engine/runtime/redact.ts';

const RESERVED = /^(?:event|level|time)$/;

/** @param destination takes whole lines of JSON */
export function createLogger({
  level,
  destination,
}: {
  readonly level: LogLevel;
  readonly destination: DestinationStream;
}): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const output = pino(options, destination);
  return eachLevel((level, event, fields) => {
    // Redacting what nobody reads would cost more than all the rest.
    if (!output.isLevelEnabled(level)) return;
    const named = Object.entries(fields).map(([name, value]) => [
      RESERVED.test(name) ? `${name}_` : name,
      value,
    ]);
    output[level]({ event, ...(redact(Object.fromEntries(named)) as object) });
  });
}

function eachLevel(write: (level: LogLevel, event: string, fields: LogFields) => void): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) =>
      write(level, event, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Called for every event, including those below the log level. Must not throw. */
export type Observe = (event: string, fields: LogFields, level: LogLevel) => void;

/** Also passes each event to the observer: an operation is reported once, for the log and the metrics. */
export function observedLogger(log: Logger, observe: Observe): Logger {
  return eachLevel((level, event, fields) => {
    observe(event, fields, level);
    log[level](event, fields);
  });
}

/** What may wait for a reader, in bytes: a thousand lines or more. */
const WAITING_MAX_BYTES = 256 * 1024;

/**
 * The log's output. It never makes the program wait: while nobody reads, lines queue up to a limit, further
 * ones are dropped and counted, and the first line after that tells the count.
 */
export class LogOutput {
  private readonly stream: Writable;
  private isBroken = false;
  private untold = 0;
  dropped = 0;

  constructor(stream: Writable) {
    this.stream = stream;
    // The reader is gone. A program that works without a log is better than none.
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

  flush(): Promise<void> {
    if (this.isBroken || this.stream.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.stream.write('', () => resolve());
    });
  }
}
