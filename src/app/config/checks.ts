import { createPrivateKey, createSecretKey } from 'node:crypto';
import { z } from 'zod';

/** Secrets from the documentation and our messages. Everybody knows them, so none is accepted. */
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
/** `xoxb-your-token`, `changeme` and similar placeholders. */
const STAND_IN =
  /^(?:[a-z]{2,8}[-_])?(?:\.{3}$|<.*>$|your[-_]|change[-_]?me|replace[-_]?(?:me|with)|example|x{4,})/i;

function isPlaceholder(secret: string): boolean {
  return EXAMPLES.has(secret) || STAND_IN.test(secret);
}

/** A setting's text; the message is for a setting that is missing. */
const text = z.string('is missing');

/** The parsed text, or the error that says what is wrong with it, without showing it. */
function parsed<T>(parse: (text: string) => T | Error) {
  return text.transform((value, context) => {
    const result = parse(value);
    if (!(result instanceof Error)) return result;
    context.addIssue({ code: 'custom', message: result.message });
    return z.NEVER;
  });
}

/** Text that fits into an HTTP header, so that a mangled secret is noticed here and not in the first call. */
export const secret = text
  .regex(/^[\x21-\x7e]+$/, 'contains white space or characters that cannot be part of it')
  .refine((value) => !isPlaceholder(value), NOT_YOURS);

export function slackToken(prefix: 'xoxb-' | 'xapp-'): z.ZodString {
  const [kind, other, place] =
    prefix === 'xoxb-'
      ? (['a bot token', 'xapp-', 'an app-level token, which belongs in SLACK_APP_TOKEN'] as const)
      : (['an app-level token', 'xoxb-', 'a bot token, which belongs in SLACK_BOT_TOKEN'] as const);
  return secret
    .refine((value) => !value.startsWith(other), { message: `is ${place}`, abort: true })
    .startsWith(prefix, `is not ${kind}: it must start with ${prefix}`);
}

export const word = text.regex(/^\S+$/, 'must not contain white space');

export const path = text;

/** A duration within bounds, as milliseconds. @param orNone 0 is right, too */
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

export function choice<const Choice extends string>(...choices: Choice[]) {
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}

export const WHERE_CHANNELS_SHOW_IT = 'in Slack, click the channel\'s name, "About": it is at the bottom';
export const WHERE_PEOPLE_SHOW_IT = 'in Slack, open the profile, ⋮, "Copy member ID"';

/** Values separated by commas. */
export const list = parsed(listed);

/** A command with its arguments, separated by blanks; quotes keep blanks together. */
export const argumentList = parsed((value) => {
  const found = value.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  const [file, ...args] = found.map((part) => part.replace(/^(["'])(.*)\1$/, '$2'));
  return file === undefined ? new Error('is no command') : ([file, ...args] as [string, ...string[]]);
});

/** Comma-separated ids, each once. */
function ids(form: RegExp, what: string) {
  return parsed((value) => {
    const found = listed(value);
    return found.every((id) => form.test(id)) ? [...new Set(found)] : new Error(`must list ${what}`);
  });
}

export const channelIds = ids(
  /^[CG][A-Z0-9]{2,}$/,
  `channel ids (C… or G…, not names), separated by commas: ${WHERE_CHANNELS_SHOW_IT}`,
);

export const memberIds = ids(
  /^[UW][A-Z0-9]{2,}$/,
  `member ids (U… or W…, not names), separated by commas: ${WHERE_PEOPLE_SHOW_IT}`,
);

export const hostNames = parsed((value) => {
  const names = listed(value.toLowerCase());
  return names.every((name) => URL.parse(`http://${name}`)?.hostname === name)
    ? names
    : new Error('must list host names, without http:// or a port, separated by commas');
});

function listed(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** An http(s) URL, normalised to end with or without a slash. */
export function httpUrl(end: '/' | '') {
  return parsed((value) => {
    const url = URL.parse(value);
    const isPlain =
      url !== null &&
      ['http:', 'https:'].includes(url.protocol) &&
      `${url.username}${url.password}${url.search}${url.hash}` === '' &&
      !/[?#]/.test(value);
    if (isPlain) return `${url.href.replace(/(?<!\/)\/+$/, '')}${end}`;
    return new Error(
      HOST.test(value)
        ? `has no http:// or https://: did you mean ${LOCAL.test(value) ? 'http' : 'https'}://${value}?`
        : 'must be an http(s) address without a user name, password, ? or #',
    );
  });
}

/** `agent.example.com:8443/v1`, in lower case, unlike any secret: the message shows it. */
const HOST =
  /^(?=.{1,100}$)(?:localhost|(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?(?:\/[a-z0-9/._-]{0,60})?$/;
const LOCAL = /^(?:localhost|127\.)/;

export const databaseUrl = text.refine(
  (value) => ['postgres:', 'postgresql:'].includes(URL.parse(value)?.protocol ?? ''),
  'must be an address that starts with postgres:// or postgresql://',
);

/** `id:key,id:key`; the keys have 256 bits, and do not show in logs. */
export const encryptionKeys = parsed((value) => {
  const entries = value
    .split(',')
    .map((entry) => /^([A-Za-z0-9._-]{1,40}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()));
  const keys = entries.flatMap((entry) => {
    const [, id = '', base64 = ''] = entry ?? [];
    return entry === null ? [] : [{ id, key: createSecretKey(base64, 'base64') }];
  });
  const [first, ...others] = keys;
  if (first === undefined || keys.length < entries.length) {
    return new Error(
      'must be a name and 32 bytes in base64 ("openssl rand -base64 32"), as in the example; separate several with commas',
    );
  }
  if (entries.some((entry) => isPlaceholder(entry?.[2] ?? ''))) return new Error(NOT_YOURS);
  const ids = keys.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  return repeated === undefined ? ([first, ...others] as const) : new Error(`has two keys named ${repeated}`);
});

/** A GitHub App's private key, as GitHub offers it, or on one line with `\n`. It does not show in logs. */
export const privateKey = parsed((value) => {
  if (isPlaceholder(value)) return new Error(NOT_YOURS);
  const key = privateKeyIn(value.replaceAll('\\n', '\n'));
  return key?.asymmetricKeyType === 'rsa'
    ? key
    : new Error(
        'must be the private key of the App, a file that begins with -----BEGIN RSA PRIVATE KEY-----',
      );
});

function privateKeyIn(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `5s`, `2m`, `1h`, `180d` or `0`; null if it is none. */
export function parseDuration(value: string): number | null {
  if (value === '0') return 0;
  const match = /^(?<amount>\d{1,8})(?<unit>ms|s|m|h|d)$/.exec(value);
  const unit = match?.groups?.unit as keyof typeof UNITS_MS | undefined;
  return unit === undefined ? null : Number(match?.groups?.amount) * UNITS_MS[unit];
}
