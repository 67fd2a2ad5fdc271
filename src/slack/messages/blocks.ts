import { isBlank, unescaped } from '#jobs/requests/command.ts';
import { escapeMrkdwn, readableDate } from '../protocol/slack-text.ts';

/** Untrusted. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(given: unknown): Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Fields) : {};
}

export function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

export function stringOf(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

function numberOf(given: unknown) {
  return typeof given === 'number' ? given : 0;
}

/** Slack escapes only some of these texts; the result is escaped once. */
export function plain(text: unknown): string {
  return escapeMrkdwn(unescaped(stringOf(text)));
}

/** @param label escaped */
export function linkToken(url: string, label: string): string {
  const address = escapeMrkdwn(unescaped(url)).replaceAll('|', '%7C');
  if (address === '') return label;
  return label === '' ? `<${address}>` : `<${address}|${label}>`;
}

/** Words as Slack would deliver them in `text`. */
export type Paragraph = Readonly<{
  text: string;
  /** A picture or a call. */
  isStandIn?: true;
  isApart?: true;
}>;

export function blockTexts(blocks: unknown): Paragraph[] {
  return listOf(pruned(blocks))
    .flatMap((block) => (typeof block === 'object' ? wordsIn(block) : []))
    .filter(({ text }) => !isBlank(text));
}

/** Untrusted input may be arbitrarily deep; Slack nests less. */
const MAX_DEPTH = 24;

function pruned(given: unknown, depth = MAX_DEPTH): unknown {
  if (typeof given !== 'object' || given === null) return given;
  if (depth === 0) return null;
  if (Array.isArray(given)) return given.map((one) => pruned(one, depth - 1));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, pruned(value, depth - 1)]));
}

export function joinParagraphs(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .map(({ text, isApart }, index) => {
      const gap = isApart === true || paragraphs[index - 1]?.isApart === true ? '\n\n' : '\n';
      return (index === 0 ? '' : gap) + text;
    })
    .join('');
}

export function mediaIn(blocks: unknown): { readonly kind: 'image' | 'video'; readonly name: string }[] {
  return listOf(pruned(blocks)).flatMap((block) => {
    const { type, title, alt_text: alt } = fieldsOf(block);
    return type === 'image' || type === 'video'
      ? [{ kind: type, name: textsOf(title)[0] ?? plain(alt) }]
      : [];
  });
}

const KINDS: Readonly<Record<string, (fields: Fields) => Paragraph[]>> = {
  mrkdwn: ({ text }) => [{ text: stringOf(text) }],
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
  raw_number: ({ text, value }) => [
    { text: plain(text) || (typeof value === 'number' ? String(value) : '') },
  ],
  task_card: ({ title, status, ...rest }) => {
    const state = stringOf(status) === '' ? '' : ` (${plain(status).replaceAll('_', ' ')})`;
    return [{ text: plain(title) + state }, ...wordsOfFields(rest)];
  },
  container: ({ title, rich_text_title: richTitle, ...rest }) => {
    const titles = wordsIn(richTitle);
    return [...(titles.length > 0 ? titles : wordsIn(title)), ...wordsOfFields(rest)];
  },
  button: addressOf,
  workflow_button: addressOf,
  icon_button: addressOf,
  overflow: ({ options }) => listOf(options).flatMap((option) => addressOf(fieldsOf(option))),
  checkboxes: optionsOf,
  radio_buttons: optionsOf,
  feedback_buttons: () => [],
};

/** Controls without words. */
const CONTROL = /(?:_select|picker|_input)$/;

function wordsIn(given: unknown): Paragraph[] {
  if (Array.isArray(given)) return given.flatMap(wordsIn);
  if (typeof given === 'string') return [{ text: plain(given) }];
  const fields = fieldsOf(given);
  const type = stringOf(fields.type);
  if (Object.hasOwn(KINDS, type)) return KINDS[type]?.(fields) ?? [];
  if (CONTROL.test(type)) return [];
  if (type.startsWith('rich_text') || Object.hasOwn(INLINE, type)) {
    return richTexts([fields], fenced).map((text) => ({ text }));
  }
  return wordsOfFields(fields);
}

/** Read first in a block. */
const FIRST = ['rich_text_title', 'title', 'subtitle', 'label', 'caption', 'text', 'body', 'details'];
const NOT_WORDS =
  /^(?:style|level|status|width|height|color|align|format|language|source|mode|verbatim|mimetype|filetype|team|unicode|range)$|(?:^|_)(?:id|ids|ts|url|urls|type|size|index|emoji)$/;
/** Numbers to read. */
const COUNTS = /^(?:value|x|y|count|amount|number|total|votes)$/;

function wordsOfFields(fields: Fields) {
  const names = Object.keys(fields).filter((name) => !NOT_WORDS.test(name));
  const ordered = new Set([...FIRST.filter((name) => names.includes(name)), ...names]);
  const found: Paragraph[] = [];
  for (const name of ordered) {
    const value = fields[name];
    if (typeof value !== 'number') found.push(...wordsIn(value));
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

function addressOf({ text, url }: Fields): Paragraph[] {
  return stringOf(url) === '' ? [] : [{ text: linkToken(stringOf(url), textsOf(text).join(' ')) }];
}

function optionsOf({ options, initial_options, initial_option }: Fields): Paragraph[] {
  const ticked = new Set([...listOf(initial_options), initial_option].map((one) => fieldsOf(one).value));
  return listOf(options).flatMap((option) => {
    const { text, description, value } = fieldsOf(option);
    const words = [...textsOf(text), ...textsOf(description)].join(' ');
    const mark = value !== undefined && ticked.has(value) ? 'x' : ' ';
    return words === '' ? [] : { text: `• [${mark}] ${words}` };
  });
}

function textsOf(given: unknown): string[] {
  return wordsIn(given).flatMap(({ text }) => (isBlank(text) ? [] : text));
}

function standIn(kind: string, names: readonly string[]): Paragraph[] {
  const name = [...new Set(names.filter((one) => !isBlank(one)))].join(' · ');
  return name === '' ? [] : [{ text: `[${kind}: ${name}]`, isStandIn: true }];
}

function tableText({ rows, ...rest }: Fields): Paragraph[] {
  const cell = (given: unknown) => {
    const { type, elements } = fieldsOf(given);
    // A fence would end the row.
    if (type === 'rich_text') return richTexts(elements, (code) => code && `\`${code}\``).join('\n');
    return typeof given === 'number' ? String(given) : joinParagraphs(wordsIn(given));
  };
  const table = markdownTable(listOf(rows).map((row) => (Array.isArray(row) ? row : [row]).map(cell)));
  return [...wordsOfFields(rest), { text: table, isApart: true }];
}

/** Slack's maximum of columns. Longer rows are not cut. */
const MAX_FILLED = 20;

function markdownTable(rows: readonly (readonly string[])[]) {
  if (rows.every((row) => row.every(isBlank))) return '';
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (cells: readonly string[], filler: string) => {
    const length = Math.max(Math.min(longest, MAX_FILLED), cells.length);
    return `| ${Array.from({ length }, (_, index) => cells[index] ?? filler).join(' | ')} |`;
  };
  const [header = '', ...rest] = rows.map((row) => line(row.map(cellText), ''));
  return [header, line([], '---'), ...rest].join('\n');
}

/** A bar ends a cell, except the first in one of Slack's tokens. */
function cellText(text: string) {
  return text
    .trim()
    .replace(/<[^<>|]*\|?|\|/g, (part) => (part === '|' ? '\\|' : part))
    .replace(/\r\n?|\n/g, '&lt;br&gt;')
    .replaceAll('\t', ' ');
}

const INDENT = '    ';
const MAX_INDENT = 8;

type ShowCode = (code: string, language: string) => string;

function richTexts(elements: unknown, showCode: ShowCode): string[] {
  return listOf(elements)
    .map((element) => richText(element, showCode))
    .filter((text) => !isBlank(text));
}

function richText(given: unknown, showCode: ShowCode): string {
  const fields = fieldsOf(given);
  const { type, elements, border, language } = fields;
  const bordered = (text: string) => (numberOf(border) > 0 ? quoted(text) : text);
  switch (type) {
    case 'rich_text':
      return richTexts(elements, showCode).join('\n');
    case 'rich_text_list':
      return bordered(listText(fields, showCode));
    case 'rich_text_quote':
      return quoted(inlineText(elements));
    case 'rich_text_preformatted':
      return bordered(showCode(inlineText(elements), stringOf(language)));
    default:
      return inlineText([given]);
  }
}

function quoted(text: string) {
  return isBlank(text) ? '' : text.replace(/^/gm, '&gt; ');
}

function fenced(code: string, language: string) {
  if (isBlank(code)) return '';
  const fence = code.includes('```') ? '````' : '```';
  const name = /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  return `${fence}${name}\n${code.replace(/\n$/, '')}\n${fence}`;
}

function listText({ elements, style, indent, offset }: Fields, showCode: ShowCode): string {
  const margin = INDENT.repeat(Math.min(Math.max(Math.trunc(numberOf(indent)), 0), MAX_INDENT));
  const first = Math.max(Math.trunc(numberOf(offset)), 0) + 1;
  const items = listOf(elements).map((item, index) => {
    const text = richText(item, showCode);
    // Slack does not nest lists in items today.
    if (fieldsOf(item).type === 'rich_text_list') return text.replace(/^/gm, margin + INDENT);
    const marker = style === 'ordered' ? `${first + index}. ` : '• ';
    const next = `\n${margin}${' '.repeat(marker.length)}`;
    return isBlank(text) ? '' : margin + marker + text.replaceAll('\n', next);
  });
  return items.filter((item) => item !== '').join('\n');
}

function inlineText(elements: unknown): string {
  return runsOf(listOf(elements).map(fieldsOf), 'strike')
    .map(({ run, isStyled: isStruck }) => {
      const text = runsOf(run, 'code').map(codeOrWords).join('');
      return isStruck ? marked(text, '~') : text;
    })
    .join('');
}

function codeOrWords({ run, isStyled: isCode }: Run) {
  const text = run.map(inlineWords).join('');
  return isCode ? marked(text, text.includes('`') ? '``' : '`') : text;
}

type Run = Readonly<{ isStyled: boolean; run: Fields[] }>;

function runsOf(elements: readonly Fields[], style: 'strike' | 'code') {
  const runs: Run[] = [];
  for (const element of elements) {
    const isStyled = fieldsOf(element.style)[style] === true;
    const last = runs.at(-1);
    if (last?.isStyled === isStyled) last.run.push(element);
    else runs.push({ isStyled, run: [element] });
  }
  return runs;
}

/** Marks around several lines, or next to spaces, have no effect. */
function marked(text: string, mark: string) {
  const lines = text.split('\n').map((line) => {
    const words = line.trim();
    return words === '' ? line : line.replace(words, () => mark + words + mark);
  });
  return lines.join('\n');
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
    return linkToken(stringOf(url), date);
  },
  color: ({ value }) => plain(value),
  team: () => 'a workspace',
};

function inlineWords(element: Fields): string {
  const type = stringOf(element.type);
  if (Object.hasOwn(INLINE, type)) return INLINE[type]?.(element) ?? '';
  const { text, elements, fallback, name, url } = element;
  const words = plain(text) || inlineText(elements) || plain(fallback) || plain(name);
  return linkToken(stringOf(url), words);
}

function token(prefix: string, id: unknown) {
  return /^[\w.]+$/.test(stringOf(id)) ? `<${prefix}${stringOf(id)}>` : '';
}
