export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * One event for each operation, logged once it is over. `event` is a stable snake_case name; fields are
 * snake_case, with units (`duration_ms`). Secrets and people's words are redacted.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
