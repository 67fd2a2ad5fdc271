import { isBlank } from '../../jobs/requests/command.ts';
import { mentionedIds, readableText, unescapeMrkdwn } from '../protocol/slack-text.ts';
import type { Paragraph } from './block-text.ts';

/** What Slack says if it has no words. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'no preview available',
  'this message contains interactive elements',
  "this content can't be displayed",
  'this content cannot be displayed',
  "this message can't be displayed",
  'this message was unable to be displayed',
]);
const LONGEST_PLACEHOLDER = 60;

/** The text, or only the mention before it if Slack put a placeholder there. */
export function unlessPlaceholder(text: string): string {
  const rest = withoutMention(text).trim();
  if (rest.length > LONGEST_PLACEHOLDER) return text;
  const words = rest.replaceAll('’', "'").toLowerCase();
  if (!PLACEHOLDERS.has(words.replace(/^\[|(?<![.\]])[.\]]+$/g, ''))) return text;
  return text.slice(0, text.lastIndexOf(rest)).trim();
}

/** The text without a mention of anybody at its start. */
export function withoutMention(text: string): string {
  return text.replace(/^\s*<@[A-Z0-9]+(?:\|[^<>]*)?>[:,]?/, '');
}

/** Those with words that were not said already. */
export function newTexts(said: string, paragraphs: readonly Paragraph[]): Paragraph[] {
  const lines = linesOf(said);
  return paragraphs
    .map((paragraph) => ({ ...paragraph, text: unlessPlaceholder(paragraph.text.trimEnd()) }))
    .filter(({ text }) => !isBlank(text) && !isSaid(text, lines));
}

/** Whether each of its lines is among these. */
export function isSaid(text: string, lines: ReadonlySet<string>): boolean {
  return [...linesOf(text)].every((line) => lines.has(line));
}

/** A text's lines, without what Slack shows differently in its two forms of a message. */
export function linesOf(text: string): ReadonlySet<string> {
  const words = text.replace(FENCE, '\n').replace(LABELLED, '<$1>');
  const ids = new Map(mentionedIds(words).map((id) => [id, id]));
  return new Set(readableText(words, ids).split('\n').map(normalLine).filter(Boolean));
}

/** A mention with a name. Slack's blocks have none. */
const LABELLED = /<(@[A-Z0-9]+|#[A-Z0-9]+|!subteam\^[A-Z0-9]+)\|([^<>]*)>/g;
const FENCE = /```(?:[\w+#.-]{1,30}\n)?/g;
const BOLD = /(?<![\p{L}\p{N}*])\*(?=\S)([^*]*[^*\s])\*(?![\p{L}\p{N}*])/gu;
const ITALIC = /(?<![\p{L}\p{N}_])_(?=\S)([^_]*[^_\s])_(?![\p{L}\p{N}_])/gu;

/** On deeper levels, Slack's text counts `a.` and `i.`, where its blocks have numbers. */
const DEEPER_NUMBER = /^(?: {4}){1,8}(?:\d{1,6}|[a-z]{1,8})\. /;

function normalLine(line: string): string {
  return line
    .replace(DEEPER_NUMBER, '    1. ')
    .trim()
    .replace(/^[◦▪•]\ufe0e? /u, '• ')
    .replace(BOLD, '$1')
    .replace(ITALIC, '$1')
    .replace(/\s+/g, ' ');
}

/** The text with another's names for what both mention. */
export function labelledAs(text: string, other: string): string {
  const labelled = new Map([...other.matchAll(LABELLED)].map(([token, target]) => [`<${target}>`, token]));
  return labelled.size === 0
    ? text
    : text.replace(/<[@#!][^<>|]*>/g, (token) => labelled.get(token) ?? token);
}

/** Whether a text says, letter by letter, what another says: lists and emphasis make no difference. */
export function hasLettersOf(text: string, other: string): boolean {
  return lettersOf(text).includes(lettersOf(other));
}

const LIST_NUMBER = /^(?:[ \t]*\d+|[ \t]{4,32}[a-z]{1,8})\. /gm;

function lettersOf(text: string): string {
  const words = unescapeMrkdwn(text.replace(LABELLED, '<$1>')).replace(LIST_NUMBER, ' ');
  return ` ${words.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}
