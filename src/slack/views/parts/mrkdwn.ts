import { escapeMrkdwn } from '../../protocol/slack-text.ts';
import { oneLine } from './untrusted.ts';

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

/** The words, followed by facts. */
export function withFacts(said: Mrkdwn, facts: readonly (string | Mrkdwn)[]): Mrkdwn {
  return facts.reduce<Mrkdwn>((line, fact) => mrkdwn`${line} · ${fact}`, said);
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

export function timeOfDay(atMs: number): Mrkdwn {
  const { seconds, iso } = dated(atMs);
  return { mrkdwn: `<!date^${seconds}^{time}|${iso.slice(11, 16)} UTC>` };
}

/** Day and time in the reader's time zone, in words if near. It may be days ahead. */
export function moment(atMs: number): Mrkdwn {
  const { seconds, iso } = dated(atMs);
  return {
    mrkdwn: `<!date^${seconds}^{date_short_pretty} {time}|${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC>`,
  };
}

/** How long ago, in the reader's language, and still correct when read later. */
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

/** In whole days: `3 days`, `1 day`, `today`. */
export function inDays(ms: number): string {
  const days = Math.trunc(ms / DAY_MS);
  if (days < 1) return 'today';
  return days === 1 ? '1 day' : `${days} days`;
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
  const count = Math.trunc(ms / unitMs);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

type Unit = readonly [ms: number, symbol: string];

function inTwo(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.trunc((ms % largeMs) / smallMs);
  return `${Math.trunc(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
