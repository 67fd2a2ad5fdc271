import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import type { LogFields, Logger, LogLevel } from '../../engine/runtime/logger.ts';
import { redact } from '../../engine/runtime/redact.ts';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Takes whole lines of JSON. */
  readonly destination: DestinationStream;
}

export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const output = pino(options, destination);
  const at =
    (level: LogLevel) =>
    (event: string, fields?: LogFields): void => {
      // Redacting what nobody will read would cost more than all the rest.
      if (output.isLevelEnabled(level)) output[level](entry(event, fields));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const RESERVED = ['event', 'level', 'time'];

function entry(event: string, fields: LogFields = {}): object {
  const named = Object.entries(fields).map(([name, value]) => [
    RESERVED.includes(name) ? `${name}_` : name,
    value,
  ]);
  return { event, ...(redact(Object.fromEntries(named)) as object) };
}

/** Called for every event, including those below the log level. Must not throw. */
export type Observe = (event: string, fields: LogFields, level: LogLevel) => void;

/** The same logger, observed: an operation is reported once, for the log and for the metrics. */
export function observedLogger(log: Logger, observe: Observe): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      observe(event, fields, level);
      log[level](event, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
