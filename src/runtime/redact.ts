import { REDACTED, withoutSecrets } from '#jobs/secrets.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * One event per operation, logged when it ends. `event` is snake_case; fields are snake_case with units
 * (`duration_ms`). Secrets and people's words are redacted.
 */
export type Logger = Readonly<Record<LogLevel, (event: string, fields?: LogFields) => void>>;

export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const MAX_DEPTH = 6;
const MAX_LENGTH = 2_000;
/** Searched for secrets before the cut, which could hide the end of one. */
const SEARCHED_LENGTH = 4 * MAX_LENGTH;

const SECRET_NAME = /token|secret|password|authorization|cookie|signature|key$|(response|database)_url$/;
/** People's words. Does not match `prompt_length`. */
const CONTENT_NAME =
  /(^|_)(prompts?|texts?|blocks|attachments|body|payload|content|elements|private_metadata|view|values)$/;

/** Secrets and people's words are replaced; tokens are removed from all strings. */
export function redact(value: unknown): unknown {
  return redactAt(value, 0, []);
}

export function scrub(text: string): string {
  const scrubbed = withoutSecrets(text.slice(0, SEARCHED_LENGTH)).replace(
    /Unexpected .*/s,
    withoutQuotedJson,
  );
  return scrubbed.length > MAX_LENGTH ? `${scrubbed.slice(0, MAX_LENGTH)}…` : scrubbed;
}

/** Node quotes the text that it could not parse. */
function withoutQuotedJson(message: string) {
  const end = ' is not valid JSON';
  const at = message.lastIndexOf(end);
  return at < 0 ? message : `invalid JSON${message.slice(at + end.length)}`;
}

function redactAt(value: unknown, depth: number, parents: readonly object[]): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH || parents.includes(value)) return '[cut]';
  const inside = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => redactAt(item, depth + 1, inside));
  if (value instanceof Error) {
    const { name, message, code, stack, cause }: Error & { code?: unknown } = value;
    return redactFields({ name, message, code, stack, cause }, depth, inside);
  }
  return isRecord(value) ? redactFields(value, depth, inside) : `[${value.constructor?.name ?? 'object'}]`;
}

function redactFields(fields: Readonly<Record<string, unknown>>, depth: number, parents: readonly object[]) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isCovert(name, value) ? REDACTED : redactAt(value, depth + 1, parents),
    ]),
  );
}

function isCovert(name: string, value: unknown) {
  if (value === null || !['string', 'object'].includes(typeof value)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return SECRET_NAME.test(words) || CONTENT_NAME.test(words);
}

function isRecord(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
