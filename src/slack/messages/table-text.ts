import { isBlank } from '../../jobs/requests/prompt.ts';

/** As many as a table of Slack's has. A row that is longer is not cut, but others are not filled up to it. */
const MAX_FILLED = 20;

/** A Markdown table whose first row is the header; empty if no cell has words. @param rows escaped, as all texts here */
export function markdownTable(rows: readonly (readonly string[])[]): string {
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

/** On one line. A bar ends a cell, except the first one in a token of Slack's. */
function cellText(text: string): string {
  return text
    .trim()
    .replace(/<[^<>|]*\|?|\|/g, (part) => (part === '|' ? '\\|' : part))
    .replace(/\r\n?|\n/g, '&lt;br&gt;')
    .replaceAll('\t', ' ');
}
