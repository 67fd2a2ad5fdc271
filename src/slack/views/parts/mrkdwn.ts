import { escapeMrkdwn } from '../../protocol/slack-text.ts';
import { oneLine } from './untrusted.ts';
import { labels } from './words.ts';

const ID_MAX = 32;
/** The last moment of year 9999: an API may ask to wait for longer. */
const LAST_DATE_MS = 253_402_300_799_999;

/** Text in Slack's markup, safe to send. Made by the `mrkdwn` template only. */
export interface Mrkdwn {
  readonly mrkdwn: string;
}

/** A template whose own words are markup; strings put into it are escaped, other Mrkdwn is taken as it is. */
export function mrkdwn(
  words: TemplateStringsArray,
  ...values: ReadonlyArray<string | number | Mrkdwn>
): Mrkdwn {
  const parts = values.map((value) =>
    typeof value === 'object' ? value.mrkdwn : escapeMrkdwn(String(value)),
  );
  return { mrkdwn: String.raw({ raw: words }, ...parts) };
}

const SOFT_HYPHEN = '\u00ad';

/**
 * A text of somebody else, as it was written. Slack knows no escape for the signs of its formatting. They open it before
 * a word and close it behind one, but not where a soft hyphen stands, which nobody sees: other signs need none.
 */
export function asWritten(text: string): Mrkdwn {
  const plain = text
    .replace(/(?<![\p{L}\p{N}])[*_~`](?=\S)/gu, `${SOFT_HYPHEN}$&`)
    .replace(/(?<=\S)[*_~`](?![\p{L}\p{N}])/gu, `$&${SOFT_HYPHEN}`);
  return mrkdwn`${plain}`;
}

/** What is said, and what there is to add. */
export function withFacts(said: Mrkdwn, facts: readonly (string | Mrkdwn)[]): Mrkdwn {
  return facts.reduce<Mrkdwn>((line, fact) => mrkdwn`${line} · ${fact}`, said);
}

/** Mentions, and so notifies, the user; an id that Slack could not have made is shown as text. */
export function userMention(userId: string): Mrkdwn {
  return isSlackId(userId) ? { mrkdwn: `<@${userId}>` } : mrkdwn`${oneLine(userId, ID_MAX)}`;
}

const ADDRESSED_MAX = 20;

/**
 * Mentions of these people, each once, to stand before what concerns them; nothing if there are none. Those who were
 * forgotten are not named.
 */
export function addressing(userIds: readonly string[]): Mrkdwn {
  const people = [...new Set(userIds)].filter(isSlackId).slice(0, ADDRESSED_MAX);
  return { mrkdwn: people.map((userId) => `${userMention(userId).mrkdwn} `).join('') };
}

/** Direct messages have no name that Slack could show. */
export function isDirectMessage(channelId: string): boolean {
  return channelId.startsWith('D');
}

/** Names the channel and links to it. */
export function channelMention(channelId: string): Mrkdwn {
  if (isDirectMessage(channelId)) return mrkdwn`${labels.directMessage}`;
  return isSlackId(channelId) ? { mrkdwn: `<#${channelId}>` } : mrkdwn`${oneLine(channelId, ID_MAX)}`;
}

/** The time of day, shown in the reader's own time zone. */
export function timeOfDay(atMs: number): Mrkdwn {
  const { seconds, iso } = dated(atMs);
  return { mrkdwn: `<!date^${seconds}^{time}|${iso.slice(11, 16)} UTC>` };
}

/**
 * The day and the time, shown in the reader's own time zone, and in words if it is near: even for the future,
 * which may be days away.
 */
export function moment(atMs: number): Mrkdwn {
  const { seconds, iso } = dated(atMs);
  return {
    mrkdwn: `<!date^${seconds}^{date_short_pretty} {time}|${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC>`,
  };
}

/** How long ago, in the reader's language, and still right when it is read later. */
export function ago(atMs: number): Mrkdwn {
  const { seconds, iso } = dated(atMs);
  return { mrkdwn: `<!date^${seconds}^{ago}|${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC>` };
}

/** A link with words of our own. @param url from `httpUrl`, or our own */
export function ownLink(url: string, label: string): Mrkdwn {
  return { mrkdwn: `<${mrkdwn`${url}`.mrkdwn}|${mrkdwn`${label}`.mrkdwn}>` };
}

function dated(atMs: number): { readonly seconds: number; readonly iso: string } {
  const ms = Math.min(Math.max(Math.trunc(atMs) || 0, 0), LAST_DATE_MS);
  return { seconds: Math.trunc(ms / 1000), iso: new Date(ms).toISOString() };
}

function isSlackId(id: string): boolean {
  return id.length <= ID_MAX && /^[A-Z0-9]+$/.test(id);
}
