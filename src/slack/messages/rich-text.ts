import { isBlank } from '../../jobs/requests/command.ts';
import { readableDate } from '../protocol/slack-text.ts';
import { type Fields, fieldsOf, linkToken, listOf, numberOf, plain, stringOf } from './parts.ts';

/** Deeper than Slack nests anything; outside input may be arbitrarily deep. */
export const MAX_DEPTH = 24;
/** Slack's own indent in `text`, which also suits Markdown. */
const INDENT = '    ';
const MAX_INDENT = 8;

type ShowCode = (code: string, language: string) => string;

/** A rich text's paragraphs, as Slack would deliver them in `text`, without bold and italics. */
export function richTexts(elements: unknown, depth: number, showCode: ShowCode = fenced): string[] {
  if (depth <= 0) return [];
  return listOf(elements)
    .map((element) => richText(element, depth - 1, showCode))
    .filter((text) => !isBlank(text));
}

function richText(given: unknown, depth: number, showCode: ShowCode): string {
  const { type, elements, border, language } = fieldsOf(given);
  switch (type) {
    case 'rich_text':
      return richTexts(elements, depth, showCode).join('\n');
    case 'rich_text_list':
      return bordered(listText(fieldsOf(given), depth, showCode), border);
    case 'rich_text_quote':
      return quoted(inlineText(elements, depth));
    case 'rich_text_preformatted':
      return bordered(showCode(inlineText(elements, depth), stringOf(language)), border);
    case 'rich_text_section':
      return inlineText(elements, depth);
    default:
      return inlineText([given], depth);
  }
}

/** In a quotation, a list or code block has a border. */
function bordered(text: string, border: unknown): string {
  return numberOf(border) > 0 ? quoted(text) : text;
}

function quoted(text: string): string {
  return isBlank(text) ? '' : text.replace(/^/gm, '&gt; ');
}

function fenced(code: string, language: string): string {
  if (isBlank(code)) return '';
  const fence = code.includes('```') ? '````' : '```';
  const name = /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  return `${fence}${name}\n${code.replace(/\n$/, '')}\n${fence}`;
}

function listText({ elements, style, indent, offset }: Fields, depth: number, showCode: ShowCode): string {
  const margin = INDENT.repeat(Math.min(Math.max(Math.trunc(numberOf(indent)), 0), MAX_INDENT));
  const first = Math.max(Math.trunc(numberOf(offset)), 0) + 1;
  const items = listOf(elements).map((item, index) => {
    const text = richTexts([item], depth, showCode).join('\n');
    // A list inside an item, which Slack does not produce today, is the item's next level.
    if (fieldsOf(item).type === 'rich_text_list') return text.replace(/^/gm, margin + INDENT);
    const marker = style === 'ordered' ? `${first + index}. ` : '• ';
    const next = `\n${margin}${' '.repeat(marker.length)}`;
    return isBlank(text) ? '' : margin + marker + text.replaceAll('\n', next);
  });
  return items.filter((item) => item !== '').join('\n');
}

interface Inline {
  readonly text: string;
  readonly isStruck: boolean;
  readonly isCode: boolean;
}

/** On one line, except for line ends of its own. */
export function inlineText(elements: unknown, depth: number): string {
  const parts = listOf(elements).map((element) => inline(element, depth));
  return runsOf(parts, 'isStruck')
    .map((struck) => {
      const text = runsOf(struck, 'isCode').map(codeText).join('');
      return struck[0]?.isStruck ? marked(text, '~') : text;
    })
    .join('');
}

function codeText(run: readonly Inline[]): string {
  const text = run.map((part) => part.text).join('');
  return run[0]?.isCode ? marked(text, text.includes('`') ? '``' : '`') : text;
}

/** Joins neighbours that agree on the style. */
function runsOf(parts: readonly Inline[], style: 'isStruck' | 'isCode'): Inline[][] {
  const runs: Inline[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.[0]?.[style] === part[style]) last.push(part);
    else runs.push([part]);
  }
  return runs;
}

/** Marks each line, inside the spaces around it; otherwise the marks mean nothing. */
function marked(text: string, mark: string): string {
  return text
    .split('\n')
    .map((line) => {
      const words = line.trim();
      const start = line.length - line.trimStart().length;
      const after = line.slice(start + words.length);
      return words === '' ? line : line.slice(0, start) + mark + words + mark + after;
    })
    .join('\n');
}

function inline(given: unknown, depth: number): Inline {
  const element = fieldsOf(given);
  const { strike, code } = fieldsOf(element.style);
  return { text: inlineWords(element, depth), isStruck: strike === true, isCode: code === true };
}

const INLINE: Readonly<Record<string, (element: Fields) => string>> = {
  text: ({ text }) => plain(text),
  link: ({ url, text }) => linkToken(stringOf(url), plain(text)),
  emoji: ({ name, skin_tone: tone }) => {
    const skin = numberOf(tone) > 0 ? `:skin-tone-${numberOf(tone)}:` : '';
    return stringOf(name) && `:${plain(name)}:${skin}`;
  },
  user: ({ user_id: id }) => token('@', id),
  usergroup: ({ usergroup_id: id }) => token('!subteam^', id),
  channel: ({ channel_id: id }) => token('#', id),
  broadcast: ({ range }) => token('!', range),
  date: ({ timestamp, fallback, url }) => {
    const date = stringOf(fallback) === '' ? readableDate(numberOf(timestamp)) : plain(fallback);
    return stringOf(url) === '' ? date : linkToken(stringOf(url), date);
  },
  color: ({ value }) => plain(value),
  team: () => 'a workspace',
};

export function isInline(type: unknown): boolean {
  return Object.hasOwn(INLINE, stringOf(type));
}

function inlineWords(element: Fields, depth: number): string {
  const type = stringOf(element.type);
  if (isInline(type)) return INLINE[type]?.(element) ?? '';
  if (depth <= 0) return '';
  // An unknown kind.
  const { text, elements, fallback, name, url } = element;
  const words = plain(text) || inlineText(elements, depth - 1) || plain(fallback) || plain(name);
  return linkToken(stringOf(url), words);
}

function token(prefix: string, id: unknown): string {
  return /^[\w.]+$/.test(stringOf(id)) ? `<${prefix}${stringOf(id)}>` : '';
}
