import { REDACTED } from '../../../jobs/secrets.ts';
import { escapeMrkdwn } from '../../protocol/slack-text.ts';
import { BUTTON_URL_MAX, oneLine } from './untrusted.ts';

const ID_MAX = 32;
/** The last moment of year 9999: an API may ask for a longer pause. */
const LAST_DATE_MS = 253_402_300_799_999;

/** Text in Slack's markup, safe to send. Only the `mrkdwn` template makes it. */
export interface Mrkdwn {
  readonly mrkdwn: string;
}

/** A template whose own words are markup: strings in it are escaped, other Mrkdwn is taken as is. */
export function mrkdwn(
  words: TemplateStringsArray,
  ...values: ReadonlyArray<string | number | Mrkdwn>
): Mrkdwn {
  const parts = values.map((value) =>
    typeof value === 'object' ? value.mrkdwn : escapeMrkdwn(String(value)),
  );
  return { mrkdwn: String.raw({ raw: words }, ...parts) };
}

/** A part, several, or nothing. */
export type Parts<Part> = Part | null | undefined | false | readonly Parts<Part>[];

/** In one list, without what is nothing. */
export function listed<Part extends object | string>(parts: Parts<Part>): Part[] {
  if (Array.isArray(parts)) return (parts as readonly Parts<Part>[]).flatMap((one) => listed(one));
  return parts ? [parts as Part] : [];
}

/** The facts one after the other; `separator` is our own. */
export function joined(facts: Parts<string | Mrkdwn>, separator = ' · '): Mrkdwn {
  const parts = listed(facts).map((fact) => mrkdwn`${fact}`.mrkdwn);
  return { mrkdwn: parts.join(separator) };
}

const SOFT_HYPHEN = '\u00ad';

/**
 * Somebody's text as written. Slack has no escape for its formatting signs: they open before a word and close
 * behind one, but not beside an invisible soft hyphen. Other signs need none.
 */
export function asWritten(text: string): Mrkdwn {
  const plain = text
    .replace(/(?<![\p{L}\p{N}])[*_~`](?=\S)/gu, `${SOFT_HYPHEN}$&`)
    .replace(/(?<=\S)[*_~`](?![\p{L}\p{N}])/gu, `$&${SOFT_HYPHEN}`);
  return mrkdwn`${plain}`;
}

/** Mentions, and so notifies, the user. An id that Slack could not have made is shown as text. */
export function userMention(userId: string): Mrkdwn {
  return isSlackId(userId) ? { mrkdwn: `<@${userId}>` } : mrkdwn`${oneLine(userId, ID_MAX)}`;
}

const ADDRESSED_MAX = 20;

/** Mentions these people once each, before what concerns them. Forgotten people are not named. */
export function addressing(userIds: readonly string[]): Mrkdwn {
  const people = [...new Set(userIds)].filter(isSlackId).slice(0, ADDRESSED_MAX);
  return { mrkdwn: people.map((userId) => `${userMention(userId).mrkdwn} `).join('') };
}

/** Slack shows no name for a direct message. */
export function isDirectMessage(channelId: string): boolean {
  return channelId.startsWith('D');
}

export function channelMention(channelId: string): Mrkdwn {
  if (isDirectMessage(channelId)) return mrkdwn`a direct message`;
  return isSlackId(channelId) ? { mrkdwn: `<#${channelId}>` } : mrkdwn`${oneLine(channelId, ID_MAX)}`;
}

export const timeOfDay = (atMs: number) => dated(atMs, '{time}', 'HH:mm'.length);

/** Day and time in the reader's time zone, in words if near. It may be days ahead. */
export const moment = (atMs: number) => dated(atMs, '{date_short_pretty} {time}');

/** How long ago, in the reader's language, and still correct when read later. */
export const ago = (atMs: number) => dated(atMs, '{ago}');

/** Slack fills in the format. Where it cannot, the end of the time in UTC is shown. */
function dated(atMs: number, format: string, shownLength = 'yyyy-MM-dd HH:mm'.length): Mrkdwn {
  const ms = Math.min(Math.max(Math.trunc(atMs) || 0, 0), LAST_DATE_MS);
  const utc = new Date(ms).toISOString().slice(0, 16).replace('T', ' ').slice(-shownLength);
  return { mrkdwn: `<!date^${Math.trunc(ms / 1000)}^${format}|${utc} UTC>` };
}

/** A link with words of our own. @param url from `httpUrl`, or our own */
export function ownLink(url: string, label: string): Mrkdwn {
  return { mrkdwn: `<${mrkdwn`${url}`.mrkdwn}|${mrkdwn`${label}`.mrkdwn}>` };
}

/**
 * The normalized http(s) URL if it may become a link, else null. It has no credentials (they would leak, or
 * pass for the host), no white space, `<`, `>` or `|`, and fits a button.
 */
export function httpUrl(text: string): string | null {
  // With a secret removed, it leads nowhere.
  if (text.includes(REDACTED)) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  const href = url.href.replaceAll('|', '%7C');
  return href.length <= BUTTON_URL_MAX ? href : null;
}

function isSlackId(id: string): boolean {
  return id.length <= ID_MAX && /^[A-Z0-9]+$/.test(id);
}

/** `1 reply`, `2 replies`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

export const replies = (count: number) => counted(count, 'reply', 'replies');

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** As exact as people need it: `40 s`, `6 min`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(Math.trunc(ms / SECOND_MS), 0)} s`;
  if (ms < HOUR_MS) return `${Math.trunc(ms / MINUTE_MS)} min`;
  return ms < DAY_MS
    ? inTwo(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
    : inTwo(ms, [DAY_MS, 'd'], [HOUR_MS, 'h']);
}

type Unit = readonly [ms: number, symbol: string];

function inTwo(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.trunc((ms % largeMs) / smallMs);
  return `${Math.trunc(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** In whole days: `3 days`, `1 day`, `today`. */
export function inDays(ms: number): string {
  return ms < DAY_MS ? 'today' : counted(Math.trunc(ms / DAY_MS), 'day');
}

const UNITS = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
] as const;

/** In words, in the largest unit that divides it: `3 days`, `36 hours`, `1 minute`. */
export function fullDuration(ms: number): string {
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? [SECOND_MS, 'second'];
  return counted(Math.trunc(ms / unitMs), unit);
}
