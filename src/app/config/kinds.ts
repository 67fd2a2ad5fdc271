import { z } from 'zod';
import { parseEncryptionKeys } from './encryption-keys.ts';
import { isPlaceholder, NOT_YOURS } from './placeholders.ts';

/** A setting's text; the message is for a setting that is missing. */
const text = z.string('is missing');

/** Text that can stand in an HTTP header, so that a mangled secret shows here and not in the first call. */
export function secret(): z.ZodString {
  return text
    .regex(/^[\x21-\x7e]+$/, 'contains white space or characters that no such secret has')
    .refine((value) => !isPlaceholder(value), NOT_YOURS);
}

export function slackToken(prefix: 'xoxb-' | 'xapp-'): z.ZodString {
  const kind = prefix === 'xoxb-' ? 'a bot token' : 'an app-level token';
  return secret().startsWith(prefix, `is not ${kind}: it must start with ${prefix}`);
}

export function word(): z.ZodString {
  return text.regex(/^\S+$/, 'must not contain white space');
}

export function path(): z.ZodString {
  return text;
}

/** A duration within bounds, as milliseconds. */
export function duration(min: string, max: string) {
  return text.transform((value, context) => {
    const durationMs = parseDuration(value);
    if (durationMs === null) {
      return reject(context, 'must be a duration with a unit: ms, s, m, h or d');
    }
    const inBounds = durationMs >= (parseDuration(min) ?? 0) && durationMs <= (parseDuration(max) ?? 0);
    return inBounds ? durationMs : reject(context, `must be between ${min} and ${max}`);
  });
}

export function wholeNumber(min: number, max: number) {
  return number(/^\d+$/, 'a whole number', min, max);
}

export function decimalNumber(min: number, max: number) {
  return number(/^\d*\.?\d+$/, 'a number', min, max);
}

function number(form: RegExp, kind: string, min: number, max: number) {
  return text.transform((value, context) => {
    const parsed = Number(value);
    const valid = form.test(value) && parsed >= min && parsed <= max;
    return valid ? parsed : reject(context, `must be ${kind} between ${min} and ${max}`);
  });
}

export function choice<const Choice extends string>(...choices: Choice[]) {
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}

/** Comma-separated ids of channels, each once. */
export function channelIds() {
  return text.transform((value, context) => {
    const ids = value
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '');
    return ids.every((id) => /^[CG][A-Z0-9]{2,}$/.test(id))
      ? [...new Set(ids)]
      : reject(context, 'must list channel ids (C… or G…, not names), separated by commas');
  });
}

/** Comma-separated names of hosts, or addresses of theirs. */
export function hostNames() {
  return text.transform((value, context) => {
    const names = value
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '');
    return names.every((name) => URL.parse(`http://${name}`)?.hostname === name)
      ? names
      : reject(context, 'must list names of hosts, without http:// and port, separated by commas');
  });
}

export function encryptionKeys() {
  return text.transform((value, context) => {
    const keys = parseEncryptionKeys(value);
    return 'wrong' in keys ? reject(context, keys.wrong) : keys;
  });
}

export function reject(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `5s`, `2m`, `1h`, `180d` or `0`; null if it is not one. */
export function parseDuration(text: string): number | null {
  if (text === '0') {
    return 0;
  }
  const match = /^(?<amount>\d{1,8})(?<unit>ms|s|m|h|d)$/.exec(text);
  const unit = match?.groups?.unit as keyof typeof UNITS_MS | undefined;
  return unit === undefined ? null : Number(match?.groups?.amount) * UNITS_MS[unit];
}
