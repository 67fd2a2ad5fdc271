import { isBlank, unescaped } from '#jobs/requests/command.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export function escapeMrkdwn(text: string): string {
  return text.replace(/[&<>]/g, (one) => ESCAPES[one] ?? one);
}

/** Slack escapes what people type, so a `<` always opens one of its own tokens. */
const TOKEN = /<([^<>]*)>/g;

/**
 * Tokens become `@name`, `#channel`, `label (url)`. Unescapes once, so a token typed as text stays text.
 * @param names by id; the fallback is the label or "someone", never the id
 */
export function readableText(slackText: string, names: ReadonlyMap<string, string> = new Map()): string {
  let readable = '';
  let end = 0;
  let lineStart = 0;
  for (const match of slackText.matchAll(TOKEN)) {
    const [token, content = ''] = match;
    const before = slackText.slice(end, match.index);
    if (before.includes('\n')) lineStart = end + before.lastIndexOf('\n') + 1;
    const isInTable = slackText.startsWith('| ', lineStart);
    const words = readableToken(content, names);
    // A bar would end a table cell.
    const safe = isInTable ? words?.replace(/(?<!\\)\|/g, '\\|') : words;
    readable += unescaped(before) + (safe ?? token);
    end = match.index + token.length;
  }
  return readable + unescaped(slackText.slice(end));
}

/** In order: people (their labels may be old names), channels and groups without a label. */
export function mentionedIds(slackText: string): string[] {
  const tokens = slackText.matchAll(MENTION);
  return [...new Set([...tokens].map(([, person, other]) => person ?? other ?? ''))];
}

const MENTION = /<(?:@([A-Z0-9]+)(?:\|[^<>]*)?|(?:#|!subteam\^)([A-Z0-9]+)\|?)>/g;

export function mentionedUserIds(slackText: string): string[] {
  return [...new Set([...slackText.matchAll(MENTION)].flatMap(([, person]) => person ?? []))];
}

/** Also strips the separator. @param userId null: anybody's mention */
export function stripLeadingMention(slackText: string, userId: string | null): string {
  const [mention = '', mentioned] = /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>[:,]?\s*/.exec(slackText) ?? [];
  return userId === null || mentioned === userId ? slackText.slice(mention.length) : slackText;
}

function readableToken(content: string, names: ReadonlyMap<string, string>) {
  const bar = content.indexOf('|');
  const target = unescaped(bar < 0 ? content : content.slice(0, bar));
  const label = bar < 0 ? '' : unescaped(content.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('@')) return named('@', names.get(id) ?? label, 'someone');
  if (target.startsWith('#')) return named('#', names.get(id) ?? label, 'a channel');
  if (target.startsWith('!')) return readableCommand(id, label, names);
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? readableLink(target, label) : null;
}

/** `<!here>`, `<!subteam^S1|@group>`, `<!date^1700000000^{time}|14:05>`. */
function readableCommand(command: string, label: string, names: ReadonlyMap<string, string>) {
  const [kind = '', argument = ''] = command.split('^', 2);
  if (kind === 'subteam') return named('@', names.get(argument) ?? label, 'a user group');
  if (kind === 'here' || kind === 'channel' || kind === 'everyone') return `@${kind}`;
  if (kind === 'date' && label === '') return readableDate(Number(argument));
  return label || kind;
}

export function readableDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'a date' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Slack also links text that looks like a URL: in `<http://README.md|README.md>`, the label was typed. */
function readableLink(target: string, label: string) {
  const address = target.replace(/^(?:mailto|tel):/i, '');
  if (label === '' || /^tel:/i.test(target)) return label || address;
  if (bareAddress(label) !== bareAddress(address)) return `${label} (${address})`;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(label) ? address : label;
}

/** Slack completes addresses: `<http://docs.example/%C3%BC|Docs.example/ü>`. */
function bareAddress(address: string) {
  const bare = address.replace(/^(?:mailto:|tel:|https?:\/\/)/i, '').replace(/\/$/, '');
  return decoded(bare).toLowerCase();
}

function decoded(address: string) {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

function named(prefix: string, name: string, unnamed: string) {
  if (name === '') return unnamed;
  return name.startsWith(prefix) ? name : prefix + name;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Without lone surrogates, `\r` and controls: Postgres refuses NUL. */
export function sanitize(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** Without bidi controls, which could disguise a line as ours. */
export function displayText(untrusted: string): string {
  const lines = sanitize(untrusted)
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(BIDI_CONTROLS, '')
    .split('\n')
    .map((line) => (isBlank(line) ? '' : line));
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
