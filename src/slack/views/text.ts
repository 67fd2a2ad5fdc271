import { TEXT_HEADING } from '#jobs/recipe.ts';
import { isBlank } from '#jobs/requests/command.ts';
import { REDACTED } from '#jobs/secrets.ts';
import { displayText, escapeMrkdwn, readableText } from '../protocol/slack-text.ts';

export const labels = {
  askDocsAgent: 'Ask Docs Agent',
  somebody: 'somebody',
} as const;

/** https://docs.slack.dev/reference/block-kit/blocks/header-block */
const HEADER_TEXT_MAX = 150;
/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export const BUTTON_LABEL_MAX = 75;
const BUTTON_URL_MAX = 3000;

/** Longer clusters are attacks with combining marks. */
const GRAPHEME_MAX = 64;
const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts between graphemes. @param max in UTF-16 units, at least 1 */
export function cut(text: string, max: number, lengthOf = (part: string) => part.length): string {
  if (lengthOf(text) <= max) return text;
  let left = max - ELLIPSIS.length;
  let kept = '';
  for (const grapheme of graphemesOf(text.slice(0, max + 1))) {
    for (const part of grapheme.length > GRAPHEME_MAX ? grapheme : [grapheme]) {
      left -= lengthOf(part);
      if (left < 0) return kept.trimEnd() + ELLIPSIS;
      kept += part;
    }
  }
  return kept.trimEnd() + ELLIPSIS;
}

/** Plain English needs no segmenter: 2 µs instead of 33 for the label of a button. */
function graphemesOf(text: string): Iterable<string> {
  return /^[ -~]*$/.test(text) ? text : Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** For text that must fit escaped, too. Doesn't escape. */
export function cutEscaped(text: string, max: number): string {
  return cut(text, max, (part) => escapeMrkdwn(part).length);
}

/** Never empty; at most `max` long, escaped or not. */
export function shown(untrusted: string, max: number): string {
  const text = cutEscaped(displayText(untrusted), max);
  return isBlank(text) ? '(empty)' : text;
}

export function oneLine(untrusted: string, max = 100): string {
  return shown(displayText(untrusted).replace(/\s+/g, ' '), max);
}

/** Cuts before a word if one starts near the limit. */
export function excerpt(untrusted: string, max: number): string {
  const text = shown(untrusted, max);
  const end = text.endsWith('…') ? text.search(/\s\S*$/) : -1;
  return end < max / 2 ? text : `${text.slice(0, end).trimEnd()}…`;
}

export function typedLine(slackText: string, max: number): string {
  return oneLine(readableText(slackText), max);
}

const PART_MAX = 2_900;
/** For the longest default prompt. */
const PARTS_MAX = 8;

export function inParts(untrusted: string): string[] {
  const parts: string[] = [];
  let rest = displayText(untrusted);
  do {
    const part = shown(rest, PART_MAX);
    const isLast = part.length >= rest.length || parts.length + 1 === PARTS_MAX;
    parts.push(isLast ? part : part.slice(0, -1));
    rest = isLast ? '' : rest.slice(part.length - 1).trimStart();
  } while (rest !== '');
  return parts;
}

/** By Slack id. */
export type Names = ReadonlyMap<string, string>;
export const NO_NAMES: Names = new Map();

export function nameIn(names: Names, userId: string | null, nameless: string = labels.somebody): string {
  return oneLine(names.get(userId ?? '') ?? nameless);
}

/** A URL makes no title. */
function asMeant(prompt: string, names: Names) {
  const { words, notes } = asRead(prompt, names);
  return notes === null ? words : `${words}\n\n${withNotes}\n${notes}`;
}

export function shownPrompt(prompt: string, names: Names, max: number): string {
  return shown(asMeant(prompt, names), max);
}

export function quotedPrompt(prompt: string, names: Names, max = 100): string {
  return `“${shownPrompt(prompt, names, max)}”`;
}

export function wholePrompt(prompt: string, names: Names): string[] {
  return inParts(asMeant(prompt, names));
}

const FENCE = '```';
/** Only with code below it. */
const LANGUAGE = /^[\w+#.-]{1,30}\n(?=[\s\S])/;

/** Prefers text to code at the start of a prompt. */
function wordsFirst(prompt: string, names: Names) {
  const request = asMeant(prompt, names);
  const parts = request.startsWith(FENCE) ? request.split(FENCE).map((part) => part.trim()) : [];
  const words = parts.filter((_, index) => index % 2 === 0);
  const code = parts.filter((_, index) => index % 2 === 1).map((part) => part.replace(LANGUAGE, ''));
  const text = [...words, ...code].filter((part) => !isBlank(part)).join('\n') || request;
  return { text, firstLine: text.split('\n', 1).join() };
}

const TITLE_MAX = 100;

export function promptTitle(prompt: string, names: Names): string {
  return shown(wordsFirst(prompt, names).firstLine, TITLE_MAX);
}

const REST_MAX = 450;
const REST_LINES_MAX = 3;

/** `rest`: what the title leaves out. */
export function titledPrompt(prompt: string, names: Names) {
  const { text, firstLine } = wordsFirst(prompt, names);
  const title = excerpt(firstLine, HEADER_TEXT_MAX);
  const isWhole = title === firstLine || isBlank(text);
  const more = isWhole ? text.slice(firstLine.length) : `…${text.slice(title.length - 1)}`;
  return { title, rest: isBlank(more) ? null : firstLines(more) };
}

function firstLines(text: string) {
  const lines = text.split('\n').filter((line) => !isBlank(line));
  const kept = shown(lines.slice(0, REST_LINES_MAX).join('\n'), REST_MAX);
  return lines.length <= REST_LINES_MAX || kept.endsWith('…') ? kept : `${kept.trimEnd()}…`;
}

/** As the agent reads it. */
export function aboutMessage(text: string, permalink: string | null) {
  const place = permalink === null ? '' : ` (${permalink})`;
  const quoted = shown(text, Number.MAX_SAFE_INTEGER).replace(/^/gm, '> ');
  return { start: `${aboutLine(place)}\n`, quoted };
}

export function asRead(prompt: string, names: Names) {
  const request = displayText(readableText(prompt, names));
  const [firstLine = ''] = request.split('\n', 1);
  const [place = '', link = null] = / \((https?:\/\/[^\s()]+)\)(?=:$)/.exec(firstLine) ?? [];
  const message = unquoted(request.slice(firstLine.length)).trimStart();
  const isAbout = firstLine === aboutLine(place) && !isBlank(message);
  const words = isAbout ? message : request;
  const permalink = isAbout ? link : null;
  const [before = '', quoted = '', ...others] = words.split(`\n\n${TEXT_HEADING}\n`);
  const hasNotes = quoted.startsWith('>') && others.length === 0;
  return hasNotes ? { words: before, notes: unquoted(quoted), permalink } : { words, notes: null, permalink };
}

function unquoted(text: string) {
  return text.replace(/^> ?/gm, '');
}

/** The agent reads it, too. */
const aboutLine = (place: string) => `About this Slack message${place}:`;
export const withNotes = 'With these notes:';

const ID_MAX = 32;
/** End of year 9999. An API may ask for a longer pause. */
const LAST_DATE_MS = 253_402_300_799_999;

/** Safe to send. Made by `mrkdwn` from text. */
export interface Mrkdwn {
  readonly mrkdwn: string;
}

/** Escapes strings, not Mrkdwn. */
export function mrkdwn(
  words: TemplateStringsArray,
  ...values: ReadonlyArray<string | number | Mrkdwn>
): Mrkdwn {
  const parts = values.map((value) =>
    typeof value === 'object' ? value.mrkdwn : escapeMrkdwn(String(value)),
  );
  return { mrkdwn: String.raw({ raw: words }, ...parts) };
}

export type Parts<Part> = Part | null | undefined | false | readonly Parts<Part>[];

/** Flattens, and drops empty parts. */
export function listed<Part extends object | string>(parts: Parts<Part>): Part[] {
  if (Array.isArray(parts)) return (parts as readonly Parts<Part>[]).flatMap((one) => listed(one));
  return parts ? [parts as Part] : [];
}

export function joined(facts: Parts<string | Mrkdwn>, separator = ' · '): Mrkdwn {
  const parts = listed(facts).map((fact) => mrkdwn`${fact}`.mrkdwn);
  return { mrkdwn: parts.filter((part) => part !== '').join(separator) };
}

const SOFT_HYPHEN = '\u00ad';

/** Slack can't escape formatting characters, but they have no effect beside a soft hyphen. */
export function asWritten(text: string): Mrkdwn {
  const plain = text
    .replace(/(?<![\p{L}\p{N}])[*_~`](?=\S)/gu, `${SOFT_HYPHEN}$&`)
    .replace(/(?<=\S)[*_~`](?![\p{L}\p{N}])/gu, `$&${SOFT_HYPHEN}`);
  return mrkdwn`${plain}`;
}

export const userMention = (userId: string) => mention('@', userId);

/** Shows an invalid id as text. */
function mention(sign: '@' | '#', id: string) {
  return isSlackId(id) ? { mrkdwn: `<${sign}${id}>` } : mrkdwn`${oneLine(id, ID_MAX)}`;
}

const ADDRESSED_MAX = 20;

/** Skips forgotten people, who have no valid id. */
export function addressing(userIds: readonly string[]): Mrkdwn {
  const people = [...new Set(userIds)].filter(isSlackId).slice(0, ADDRESSED_MAX);
  return { mrkdwn: people.map((userId) => `<@${userId}> `).join('') };
}

/** Slack shows no name for a direct message. */
export function isDirectMessage(channelId: string): boolean {
  return channelId.startsWith('D');
}

export function channelMention(channelId: string): Mrkdwn {
  return isDirectMessage(channelId) ? mrkdwn`a direct message` : mention('#', channelId);
}

function isSlackId(id: string) {
  return id.length <= ID_MAX && /^[A-Z0-9]+$/.test(id);
}

/** Day and time in the reader's time zone. */
export const moment = (atMs: number) => dated(atMs, '{date_short_pretty} {time}');

/** Slack keeps it current, in the reader's language. */
export const ago = (atMs: number) => dated(atMs, '{ago}');

/** Slack fills in the format. Elsewhere, the UTC time shows. */
function dated(atMs: number, format: string): Mrkdwn {
  const ms = Math.min(Math.max(Math.trunc(atMs) || 0, 0), LAST_DATE_MS);
  const utc = new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return { mrkdwn: `<!date^${Math.trunc(ms / 1000)}^${format}|${utc} UTC>` };
}

/** @param url from `httpUrl`, or our own */
export function ownLink(url: string, label: string): Mrkdwn {
  return { mrkdwn: `<${mrkdwn`${url}`.mrkdwn}|${mrkdwn`${label}`.mrkdwn}>` };
}

/**
 * A normalized http(s) URL that fits a button, else null. Credentials would leak or pass for the host. The
 * result has no white space, `<`, `>` or `|`.
 */
export function httpUrl(text: string): string | null {
  // A redacted URL leads nowhere.
  const url = text.includes(REDACTED) ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return null;
  }
  const href = url.href.replaceAll('|', '%7C');
  return href.length <= BUTTON_URL_MAX ? href : null;
}

export const inFigures = (count: number) => count.toLocaleString('en-US');

/** `1 reply`, `2 replies` */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

export const replies = (count: number) => counted(count, 'reply', 'replies');

/** `Alice, Bob and 2 others`. British English has no comma before "and". */
export function enumerated(names: readonly string[], max: number): string {
  const others = names.length - max;
  const all = others > 0 ? [...names.slice(0, max), counted(others, 'other')] : names;
  return new Intl.ListFormat('en-GB').format(all);
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SECONDS = [1000, 's', 'second'] as const;
const UNITS = [[DAY_MS, 'd', 'day'], [HOUR_MS, 'h', 'hour'], [60_000, 'min', 'minute'], SECONDS] as const;

/** `40 s`, `6 min`, `2 h 10 min` */
export function duration(ms: number): string {
  const largest = UNITS.findIndex(([unitMs]) => ms >= unitMs);
  const [[unitMs, unit] = SECONDS, [nextMs, next] = SECONDS] = UNITS.slice(largest);
  const rest = unitMs >= HOUR_MS ? Math.trunc((ms % unitMs) / nextMs) : 0;
  return `${Math.trunc(Math.max(ms, 0) / unitMs)} ${unit}${rest === 0 ? '' : ` ${rest} ${next}`}`;
}

/** `3 days`, `1 day`, `today` */
export function inDays(ms: number): string {
  return ms < DAY_MS ? 'today' : counted(Math.trunc(ms / DAY_MS), 'day');
}

/** `3 days`, `36 hours`, `1 minute`, `1.5 seconds` */
export function fullDuration(ms: number): string {
  const [unitMs, , unit] = UNITS.find(([unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? SECONDS;
  return counted(ms / unitMs, unit);
}
