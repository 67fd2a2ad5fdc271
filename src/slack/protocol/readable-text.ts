import { unescapeMrkdwn } from './escape.ts';

/** Slack escapes what people type, so a `<` always opens a token of its own making. */
const TOKEN = /<([^<>]*)>/g;

/**
 * What the person meant by the text that Slack delivered: tokens become readable (`@name`, `#channel`,
 * `label (url)`), and `&amp;`, `&lt;` and `&gt;` the characters they stand for, once: a token that was typed
 * as text stays text.
 * @param names Slack ids to names without `@` or `#`; an id that is not in it is shown by its label, or as it is
 */
export function readableText(slackText: string, names: ReadonlyMap<string, string>): string {
  let readable = '';
  let end = 0;
  for (const match of slackText.matchAll(TOKEN)) {
    const [token, content = ''] = match;
    readable += unescapeMrkdwn(slackText.slice(end, match.index)) + (readableToken(content, names) ?? token);
    end = match.index + token.length;
  }
  return readable + unescapeMrkdwn(slackText.slice(end));
}

/** The ids of the users mentioned in the text that Slack delivered, each once, in order. */
export function mentionedUserIds(slackText: string): string[] {
  const ids = [...slackText.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id = '']) => id);
  return [...new Set(ids)];
}

/** The text without a mention of this user at its very start, and without what separates it from the rest. */
export function stripLeadingMention(slackText: string, userId: string): string {
  const mention = /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>[:,]?\s*/.exec(slackText);
  return mention?.[1] === userId ? slackText.slice(mention[0].length) : slackText;
}

/** Null if it is no token of Slack's. */
function readableToken(content: string, names: ReadonlyMap<string, string>): string | null {
  const bar = content.indexOf('|');
  const target = unescapeMrkdwn(bar < 0 ? content : content.slice(0, bar));
  const label = bar < 0 ? '' : unescapeMrkdwn(content.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('@')) return prefixed('@', names.get(id) ?? (label || id));
  if (target.startsWith('#')) return prefixed('#', names.get(id) ?? (label || id));
  if (target.startsWith('!')) return readableCommand(id, label, names);
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? readableLink(target, label) : null;
}

/** `<!here>`, `<!subteam^S1|@group>`, `<!date^1700000000^{time}|14:05>`. */
function readableCommand(command: string, label: string, names: ReadonlyMap<string, string>): string {
  const [kind = '', argument = ''] = command.split('^', 2);
  if (kind === 'subteam') return prefixed('@', names.get(argument) ?? (label || argument));
  if (kind === 'here' || kind === 'channel' || kind === 'everyone') return `@${kind}`;
  return label || kind;
}

function readableLink(target: string, label: string): string {
  const address = target.replace(/^(?:mailto|tel):/i, '');
  const isSame = label === '' || bareAddress(label) === bareAddress(address);
  return isSame ? address : `${label} (${address})`;
}

/** Slack completes what people type: `docs.example` becomes `<http://docs.example/|docs.example>`. */
function bareAddress(address: string): string {
  return address.replace(/^(?:mailto:|tel:|https?:\/\/)/i, '').replace(/\/$/, '');
}

function prefixed(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name : prefix + name;
}
