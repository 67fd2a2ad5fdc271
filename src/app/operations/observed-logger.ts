import type { LogFields, Logger, LogLevel } from '../../engine/runtime/logger.ts';

/** Is told of every event, those below the log level, too. Must not throw. */
export type Observe = (event: string, fields: LogFields, level: LogLevel) => void;

/** The same logger; what it is told is observed, so that an operation is told once for the log and for others. */
export function observedLogger(log: Logger, observe: Observe): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      observe(event, fields, level);
      log[level](event, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
