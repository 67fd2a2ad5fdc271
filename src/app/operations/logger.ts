import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { type LogFields, type Logger, type LogLevel, redact } from '#runtime/redact.ts';

export function createLogger({
  level,
  destination,
}: Readonly<{ level: LogLevel; destination: DestinationStream }>): Logger {
  const timestamp = stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  const output = pino({ level, base: null, timestamp, formatters }, destination);
  return eachLevel((event, fields, level) => {
    // Redacting is expensive.
    if (!output.isLevelEnabled(level)) return;
    output[level]({ event, ...(redact(fields) as object) });
  });
}

function eachLevel(write: Observe): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) =>
      write(event, fields, level);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Also called below the log level. Must not throw. */
export type Observe = (event: string, fields: LogFields, level: LogLevel) => void;

export function observedLogger(log: Logger, observe: Observe): Logger {
  return eachLevel((event, fields, level) => {
    observe(event, fields, level);
    log[level](event, fields);
  });
}

const WAITING_MAX_BYTES = 256 * 1024;

/** Never blocks: without a reader, drops lines beyond a limit and logs their number with the next line. */
export class LogOutput {
  private readonly stream: Writable;
  private isBroken = false;
  private unreported = 0;
  dropped = 0;

  constructor(stream: Writable) {
    this.stream = stream;
    // Better to run without a log than to crash.
    stream.on('error', () => {
      this.isBroken = true;
    });
  }

  write(line: string): void {
    if (this.isBroken || this.stream.writableLength > WAITING_MAX_BYTES) {
      this.dropped += 1;
      this.unreported += 1;
      return;
    }
    if (this.unreported > 0) {
      const time = new Date().toISOString();
      const report = { level: 'warn', time, event: 'log_lines_dropped', lines: this.unreported };
      this.stream.write(`${JSON.stringify(report)}\n`);
      this.unreported = 0;
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

export function processLog(level: LogLevel) {
  const { stdout } = process;
  const output = new LogOutput(stdout);
  const destination = stdout.isTTY ? terminalLines(stdout) : output;
  return { log: createLogger({ level, destination }), output, destination };
}

const STYLES = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

export function terminalLines(terminal: Pick<Writable, 'write'>): DestinationStream {
  return {
    write: (json) => {
      const { time, level, event, ...fields } = JSON.parse(json) as {
        time: string;
        level: LogLevel;
        event: string;
      };
      const at = new Date(time).toTimeString().slice(0, 8);
      const more = Object.keys(fields).length === 0 ? '' : ` ${styleText('gray', JSON.stringify(fields))}`;
      terminal.write(
        `[${at}] ${styleText(STYLES[level], level.toUpperCase())} ${styleText('cyan', event)}${more}\n`,
      );
    },
  };
}
