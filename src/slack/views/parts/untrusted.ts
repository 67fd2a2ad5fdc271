import { TEXT_HEADING } from '../../../jobs/recipe.ts';
import { isBlank } from '../../../jobs/requests/command.ts';
import { displayText, escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/header-block */
const HEADER_TEXT_MAX = 150;
/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export const BUTTON_LABEL_MAX = 75;
export const BUTTON_URL_MAX = 3000;

/** Longer clusters are attacks with combining marks. */
const GRAPHEME_MAX = 64;
const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text, cut between two visible characters, with `…`, if longer than `max` UTF-16 units (at least 1). */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : cutAt(text, max - ELLIPSIS.length);
}

/** As `cut`, but measures escaped mrkdwn, so that the text fits in either form. The result is not escaped. */
export function cutEscaped(text: string, max: number): string {
  if (text.length * escapeMrkdwn('&').length <= max) return text;
  let length = 0;
  let keep = 0;
  for (let index = 0; index < text.length; index++) {
    length += escapeMrkdwn(text.charAt(index)).length;
    if (length <= max - ELLIPSIS.length) keep = index + 1;
    if (length > max) return cutAt(text, keep);
  }
  return text;
}

function cutAt(text: string, length: number): string {
  const cluster = graphemes.segment(text.slice(0, length + 2)).containing(length);
  const start = cluster?.index ?? length;
  const end = length - start > GRAPHEME_MAX ? codePointStart(text, length) : start;
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

function codePointStart(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}

const TITLE_MAX = 100;
const REST_MAX = 450;
const REST_LINES_MAX = 3;
const PART_MAX = 2_900;
/** Enough for the longest default prompt, in a modal of a hundred blocks. */
const PARTS_MAX = 8;

/** Untrusted text, shown on lines of its own: never empty, and at most `max` long, escaped or not. */
export function shown(untrusted: string, max: number): string {
  const text = cutEscaped(displayText(untrusted), max);
  return isBlank(text) ? '(empty)' : text;
}

/** As `shown`, but on one line. */
export function oneLine(untrusted: string, max = 100): string {
  return shown(displayText(untrusted).replace(/\s+/g, ' '), max);
}

/** Text in Slack's form, likewise, as people typed it. */
export function typedLine(slackText: string, max: number): string {
  return oneLine(readableText(slackText, new Map()), max);
}

/** Slack ids to names, for mentions and for those who did something. */
export type Names = ReadonlyMap<string, string>;

/** The prompt as the person meant it. */
function asMeant(prompt: string, names: Names): string {
  return whatItIsAbout(displayText(readableText(prompt, names)));
}

export function shownPrompt(prompt: string, names: Names, max: number): string {
  return shown(asMeant(prompt, names), max);
}

/** The same, in quotation marks. */
export function quotedPrompt(prompt: string, names: Names, max = 100): string {
  return `“${shownPrompt(prompt, names, max)}”`;
}

const FENCE = '```';

/**
 * A request that begins with code gets its title from the words after it, or, without words, from the code.
 */
function wordsFirst(request: string): string {
  if (!request.startsWith(FENCE)) return request;
  const parts = request.split(FENCE).map((part) => part.trim());
  const words = parts.filter((_, index) => index % 2 === 0);
  const code = parts.filter((_, index) => index % 2 === 1).map((part) => part.replace(LANGUAGE, ''));
  return [...words, ...code].filter((part) => !isBlank(part)).join('\n') || request;
}

/** Only with code below it. */
const LANGUAGE = /^[\w+#.-]{1,30}\n(?=[\s\S])/;

/**
 * The prompt as the person meant it, in two parts: a title of at most 150 characters, and what does not fit
 * into it, cut to three lines and 450 characters; null: the title is complete. A long first line continues in
 * the rest, split between words.
 */
export function titledPrompt(prompt: string, names: Names) {
  const text = wordsFirst(asMeant(prompt, names));
  const [firstLine = ''] = text.split('\n', 1);
  const title = atWord(shown(firstLine, HEADER_TEXT_MAX));
  const isWhole = title === firstLine || isBlank(text);
  const more = isWhole ? text.slice(firstLine.length) : `…${text.slice(title.length - 1)}`;
  return { title, rest: isBlank(more) ? null : firstLines(more) };
}

/** Cuts before the word that does not fit, if that is near. */
function atWord(title: string): string {
  const end = title.endsWith('…') ? title.lastIndexOf(' ') : -1;
  return end < HEADER_TEXT_MAX / 2 ? title : `${title.slice(0, end).trimEnd()}…`;
}

function firstLines(text: string): string {
  const lines = text.split('\n').filter((line) => !isBlank(line));
  const kept = shown(lines.slice(0, REST_LINES_MAX).join('\n'), REST_MAX);
  return lines.length <= REST_LINES_MAX || kept.endsWith('…') ? kept : `${kept.trimEnd()}…`;
}

/** The whole prompt, in parts of at most 2,900 characters. */
export function wholePrompt(prompt: string, names: Names): string[] {
  const parts: string[] = [];
  let rest = asMeant(prompt, names);
  do {
    const part = shown(rest, PART_MAX);
    const isLast = part.length >= rest.length || parts.length + 1 === PARTS_MAX;
    parts.push(isLast ? part : part.slice(0, -1));
    rest = isLast ? '' : rest.slice(part.length - 1).trimStart();
  } while (rest !== '');
  return parts;
}

export function promptTitle(prompt: string, names: Names): string {
  const [firstLine = ''] = wordsFirst(asMeant(prompt, names)).split('\n', 1);
  return shown(firstLine, TITLE_MAX);
}

/** The first line of a request about a message, and the message, each as the agent reads it. */
export function aboutMessage(text: string, permalink: string | null) {
  const place = permalink === null ? '' : ` (${permalink})`;
  return { start: `${aboutLine(place)}\n`, quoted: text.replace(/^/gm, '> ') };
}

/**
 * A request as people read it, without what is meant for the agent: its words, what came along as a quotation
 * (null: nothing), and the link to the message that it is about (null: none, or not said).
 * @param request as the agent reads it, unescaped
 */
export function asRead(request: string) {
  const { words, permalink } = withoutAbout(request);
  const [before = '', ...after] = words.split(`\n\n${TEXT_HEADING}\n`);
  const quoted = after.length === 1 ? after[0] : undefined;
  if (quoted === undefined || !quoted.startsWith('>')) return { words, notes: null, permalink };
  return { words: before, notes: unquoted(quoted), permalink };
}

/** The same in one text, since a URL is no title. Any other request as is. */
export function whatItIsAbout(request: string): string {
  const { words, notes } = asRead(request);
  return notes === null ? words : `${words}\n\n${withNotes}\n${notes}`;
}

function withoutAbout(request: string) {
  const [firstLine = ''] = request.split('\n', 1);
  const [place = '', permalink = null] = / \((https?:\/\/[^\s()]+)\)(?=:$)/.exec(firstLine) ?? [];
  const message = unquoted(request.slice(firstLine.length)).trimStart();
  const isAbout = firstLine === aboutLine(place) && !isBlank(message);
  return isAbout ? { words: message, permalink } : { words: request, permalink: null };
}

function unquoted(text: string): string {
  return text.replace(/^> ?/gm, '');
}

/** For the agent, too. @param place the message's URL in brackets, or nothing */
const aboutLine = (place: string): string => `About this Slack message${place}:`;
/** Introduces what came along with a request, for people. */
export const withNotes = 'With these notes:';
