import { isBlank } from '../../jobs/requests/command.ts';
import { type Fields, fieldsOf, linkToken, listOf, plain, stringOf } from './parts.ts';
import { inlineText, isInline, MAX_DEPTH, richTexts } from './rich-text.ts';

/** A block's words, as Slack would deliver them in `text`. */
export interface Paragraph {
  readonly text: string;
  /** Represents something without words: a picture, a call. */
  readonly isStandIn?: true;
  /** Needs blank lines around it. */
  readonly isApart?: true;
}

/** The words of blocks of any kind, unknown ones included. */
export function blockTexts(blocks: unknown): Paragraph[] {
  return listOf(blocks)
    .flatMap((block) => (typeof block === 'object' ? wordsIn(block, MAX_DEPTH) : []))
    .filter(({ text }) => !isBlank(text));
}

export function joinParagraphs(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .map(({ text, isApart }, index) => {
      const gap = isApart === true || paragraphs[index - 1]?.isApart === true ? '\n\n' : '\n';
      return (index === 0 ? '' : gap) + text;
    })
    .join('');
}

/** Special kinds; all others say what their fields say. */
const KINDS: Readonly<Record<string, (fields: Fields, depth: number) => Paragraph[]>> = {
  mrkdwn: ({ text }) => [{ text: stringOf(text) }],
  plain_text: ({ text }) => [{ text: plain(text) }],
  table: tableText,
  data_table: tableText,
  image: ({ title, alt_text: alt }) => standIn('image', [...textsOf(title), plain(alt)]),
  video: ({ title, title_url: titleUrl, video_url: videoUrl, description, alt_text: alt, ...rest }) => {
    const name = textsOf(title)[0] ?? plain(alt);
    const words = [plain(rest.author_name), plain(rest.provider_name), ...textsOf(description)];
    return [linkToken(stringOf(titleUrl) || stringOf(videoUrl), name), ...words].map((text) => ({ text }));
  },
  call: ({ call }) => standIn('call', [plain(fieldsOf(fieldsOf(call).v1).name)]),
  file: ({ file }) => standIn('file', [plain(fieldsOf(file).title) || plain(fieldsOf(file).name)]),
  raw_text: ({ text }) => [{ text: plain(text) }],
  raw_number: ({ text, value }) => [
    { text: plain(text) || (typeof value === 'number' ? String(value) : '') },
  ],
  task_card: ({ title, status, ...rest }, depth) => {
    const state = stringOf(status) === '' ? '' : ` (${plain(status).replaceAll('_', ' ')})`;
    return [{ text: plain(title) + state }, ...wordsOfFields(rest, depth)];
  },
  container: ({ title, rich_text_title: richTitle, ...rest }, depth) => {
    const titles = wordsIn(richTitle, depth);
    return [...(titles.length > 0 ? titles : wordsIn(title, depth)), ...wordsOfFields(rest, depth)];
  },
  button: addressOf,
  workflow_button: addressOf,
  icon_button: addressOf,
  overflow: ({ options }) => listOf(options).flatMap((option) => addressOf(fieldsOf(option))),
  checkboxes: optionsOf,
  radio_buttons: optionsOf,
  feedback_buttons: () => [],
  divider: () => [],
};

/** Controls that act only in Slack, and hold nothing to read. */
const CONTROL = /(?:_select|picker|_input)$/;

function wordsIn(given: unknown, depth: number): Paragraph[] {
  if (depth <= 0) return [];
  if (Array.isArray(given)) return given.flatMap((one) => wordsIn(one, depth - 1));
  if (typeof given === 'string') return [{ text: plain(given) }];
  const fields = fieldsOf(given);
  const type = stringOf(fields.type);
  if (Object.hasOwn(KINDS, type)) return KINDS[type]?.(fields, depth - 1) ?? [];
  if (type.startsWith('rich_text') && !CONTROL.test(type)) {
    return richTexts([fields], depth - 1).map((text) => ({ text }));
  }
  if (isInline(type)) return [{ text: inlineText([fields], depth - 1) }];
  return CONTROL.test(type) ? [] : wordsOfFields(fields, depth - 1);
}

/** What people read first in a block, whatever the order of its fields. */
const FIRST = ['rich_text_title', 'title', 'subtitle', 'label', 'caption', 'text', 'body', 'details'];
/** Fields for programs. */
const NOT_WORDS =
  /^(?:type|style|level|status|width|height|color|align|format|language|source|mode|verbatim|emoji|mimetype|filetype|team|ts|unicode|range)$|(?:^|_)(?:id|ids|ts|url|urls|type|size|index|emoji)$/;
/** Those of them that hold a number to read. */
const COUNTS = /^(?:value|x|y|count|amount|number|total|votes)$/;

function wordsOfFields(fields: Fields, depth: number): Paragraph[] {
  const names = Object.keys(fields).filter((name) => !NOT_WORDS.test(name));
  const order = [
    ...FIRST.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST.includes(name)),
  ];
  const found: Paragraph[] = [];
  for (const name of order) {
    const value = fields[name];
    if (typeof value !== 'number') found.push(...wordsIn(value, depth));
    else if (COUNTS.test(name)) {
      const label = found.pop();
      found.push({ text: label === undefined ? String(value) : `${label.text}: ${value}` });
    }
  }
  const url = stringOf(fields.url);
  if (url === '') return found;
  const [first, ...rest] = found;
  return [{ ...first, text: linkToken(url, first?.text ?? '') }, ...rest];
}

/** A control leads somewhere, or has nothing to read. */
function addressOf({ text, url }: Fields): Paragraph[] {
  return stringOf(url) === '' ? [] : [{ text: linkToken(stringOf(url), textsOf(text).join(' ')) }];
}

function optionsOf({ options, initial_options, initial_option }: Fields): Paragraph[] {
  const ticked = new Set([...listOf(initial_options), initial_option].map((one) => fieldsOf(one).value));
  return listOf(options).map((option) => {
    const { text, description, value } = fieldsOf(option);
    const words = [...textsOf(text), ...textsOf(description)].join(' ');
    return {
      text: words === '' ? '' : `• [${value !== undefined && ticked.has(value) ? 'x' : ' '}] ${words}`,
    };
  });
}

/** The media at the top of a message: pictures and films, by name. */
export function mediaIn(blocks: unknown): { readonly kind: 'image' | 'video'; readonly name: string }[] {
  return listOf(blocks).flatMap((block) => {
    const { type, title, alt_text: alt } = fieldsOf(block);
    return type === 'image' || type === 'video'
      ? [{ kind: type, name: textsOf(title)[0] ?? plain(alt) }]
      : [];
  });
}

/** The words of a text object, or of a plain string. */
function textsOf(given: unknown): string[] {
  return wordsIn(given, 2).flatMap(({ text }) => (isBlank(text) ? [] : text));
}

function standIn(kind: string, names: readonly string[]): Paragraph[] {
  const name = [...new Set(names.filter((one) => !isBlank(one)))].join(' · ');
  return name === '' ? [] : [{ text: `[${kind}: ${name}]`, isStandIn: true }];
}

function tableText({ rows, ...rest }: Fields, depth: number): Paragraph[] {
  const cell = (given: unknown) => {
    const { type, elements } = fieldsOf(given);
    // A fence would end the row.
    if (type === 'rich_text') return richTexts(elements, depth, (code) => code && `\`${code}\``).join('\n');
    return typeof given === 'number' ? String(given) : joinParagraphs(wordsIn(given, depth));
  };
  const table = markdownTable(listOf(rows).map((row) => (Array.isArray(row) ? row : [row]).map(cell)));
  return [...wordsOfFields(rest, depth), { text: table, isApart: true }];
}

/** As many as Slack's tables have. Longer rows are not cut, but others are not filled up to them. */
const MAX_FILLED = 20;

/**
 * A Markdown table whose first row is the header; empty if no cell has words. @param rows escaped, as all
 * texts here
 */
function markdownTable(rows: readonly (readonly string[])[]): string {
  if (rows.every((row) => row.every(isBlank))) return '';
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Math.min(longest, MAX_FILLED);
  const [header = '', ...rest] = rows.map((row) => line(filled(row.map(cellText), columns, '')));
  return [header, line(filled([], columns, '---')), ...rest].join('\n');
}

function filled(cells: readonly string[], columns: number, filler: string): string[] {
  return [...cells, ...Array<string>(Math.max(columns - cells.length, 0)).fill(filler)];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** On one line. A bar ends a cell, except the first in one of Slack's tokens. */
function cellText(text: string): string {
  return text
    .trim()
    .replace(/<[^<>|]*\|?|\|/g, (part) => (part === '|' ? '\\|' : part))
    .replace(/\r\n?|\n/g, '&lt;br&gt;')
    .replaceAll('\t', ' ');
}
