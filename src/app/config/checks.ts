import { createPrivateKey, createSecretKey } from 'node:crypto';
import { z } from 'zod';
import { channel, user } from '#slack/protocol/ids.ts';

/** Public, so refused as values. */
export const exampleSecrets = {
  botToken: 'xoxb-12-34-abcd',
  appToken: 'xapp-1-A12-34-abcd',
  hex: '0123456789abcdef0123456789abcdef',
  stateSecret: 'a-long-random-text',
  encryptionKey: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  agentApiKey: 'the-key-of-the-agent-api',
  githubToken: 'github_pat_0123456789',
  githubAppKey: '-----BEGIN RSA PRIVATE KEY-----\\nMII…\\n-----END RSA PRIVATE KEY-----',
  gitlabToken: 'glpat-0123456789',
} as const;

const NOT_YOURS = 'is still the example: replace it with your own';
const EXAMPLES: ReadonlySet<string> = new Set(Object.values(exampleSecrets));

export const text = z.string('is missing');

/** @param parse must not repeat the text in its error */
function parsed<T>(parse: (text: string) => T | Error) {
  return text.transform((value, context) => {
    const result = parse(value);
    if (!(result instanceof Error)) return result;
    context.addIssue({ code: 'custom', message: result.message });
    return z.NEVER;
  });
}

/** Fits an HTTP header: detects a mangled secret early. */
export const secret = text
  .regex(/^[\x21-\x7e]+$/, 'contains white space or characters that cannot be part of it')
  .refine((value) => !EXAMPLES.has(value), NOT_YOURS);

export const botToken = secret.startsWith('xoxb-', 'is not a bot token: it must start with xoxb-');

export const appToken = secret.startsWith('xapp-', 'is not an app-level token: it must start with xapp-');

export const word = text.regex(/^\S+$/, 'must not contain white space');

/** @param orNone also allows 0 */
export function duration(min: string, max: string, orNone = false) {
  const [minMs = 0, maxMs = 0] = [min, max].map((bound) => parseDuration(bound) ?? 0);
  return parsed((value) => {
    const durationMs = parseDuration(value);
    if (durationMs === null) return new Error('must be a duration with a unit: ms, s, m, h or d');
    if ((durationMs >= minMs && durationMs <= maxMs) || (orNone && durationMs === 0)) return durationMs;
    return new Error(`must be ${orNone ? '0, or ' : ''}between ${min} and ${max}`);
  });
}

export function wholeNumber(min: number, max: number) {
  return parsed((value) => {
    const result = Number(value);
    const isValid = /^\d+$/.test(value) && result >= min && result <= max;
    return isValid ? result : new Error(`must be a whole number between ${min} and ${max}`);
  });
}

const listed = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

export const list = text.transform(listed);

export const argumentList = parsed((value) => {
  const found = value.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  const [file, ...args] = found.map((part) => part.replace(/^(["'])(.*)\1$/, '$2'));
  return file === undefined ? new Error('is no command') : ([file, ...args] as [string, ...string[]]);
});

const ids = (id: z.ZodString) => list.pipe(z.array(id)).transform((found) => [...new Set(found)]);

export const channelIds = ids(channel);
export const memberIds = ids(user);

export const hostNames = parsed((value) => {
  const names = listed(value.toLowerCase());
  return names.every((name) => URL.parse(`http://${name}`)?.hostname === name)
    ? names
    : new Error('must list host names, without http:// or a port, separated by commas');
});

/** An address or a path. */
export const repository = word.refine(
  (address) => !URL.parse(address)?.password,
  'must not hold a password: set the token of its code host',
);

/** Without a slash at the end. */
export const httpUrl = parsed((value) => {
  const url = URL.parse(value);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}` === '' &&
    !/[?#]/.test(value);
  if (isPlain) return url.href.replace(/(?<!\/)\/+$/, '');
  return new Error(
    HOST.test(value)
      ? `has no http:// or https://: did you mean ${LOCAL.test(value) ? 'http' : 'https'}://${value}?`
      : 'must be an http(s) address without a user name, password, ? or #',
  );
});

/** `agent.example.com:8443/v1`. Excludes secrets, since the message shows it. */
const HOST =
  /^(?=.{1,100}$)(?:localhost|(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?(?:\/[a-z0-9/._-]{0,60})?$/;
const LOCAL = /^(?:localhost|127\.)/;

export const databaseUrl = text.refine(
  (value) => /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? ''),
  'must be an address that starts with postgres:// or postgresql://',
);

/** `id:key,id:key`. Key objects don't show in logs. */
export const encryptionKeys = parsed((value) => {
  const keys = value.split(',').map((entry) => {
    const [, id = '', base64 = ''] = /^([\w.-]{1,40}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    return { id, base64 };
  });
  const [first, ...others] = keys.map(({ id, base64 }) => ({ id, key: createSecretKey(base64, 'base64') }));
  if (first === undefined || keys.some(({ id }) => id === '')) {
    return new Error(
      'must be a name and 32 bytes in base64 ("openssl rand -base64 32"), as in the example; separate several with commas',
    );
  }
  if (keys.some(({ base64 }) => EXAMPLES.has(base64))) return new Error(NOT_YOURS);
  const repeated = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) < index);
  return repeated === undefined
    ? ([first, ...others] as const)
    : new Error(`has two keys named ${repeated.id}`);
});

/** PEM, also with `\n` for new lines. */
export const privateKey = parsed((value) => {
  if (EXAMPLES.has(value)) return new Error(NOT_YOURS);
  try {
    const key = createPrivateKey(value.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // It is no key at all.
  }
  return new Error(
    'must be the private key of the App, a file that begins with -----BEGIN RSA PRIVATE KEY-----',
  );
});

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `5s`, `2m`, `1h`, `180d` or `0`; else null. */
export function parseDuration(value: string): number | null {
  if (value === '0') return 0;
  const [, amount, unit] = /^(\d{1,8})(ms|s|m|h|d)$/.exec(value) ?? [];
  return unit === undefined ? null : Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
