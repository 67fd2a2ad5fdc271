import type { Spread } from './percentiles.ts';
import type { Row } from './rows.ts';

const HEAD = ['', 'unit', 'ours', 'reference', 'compared (from to)', 'target', 'met'];

export function tableOf(rows: readonly Row[]): string {
  return markdownTable([HEAD, ...rows.map(cellsOf)]);
}

/** A table that is also good to read as it is. The first line is its head. */
export function markdownTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = format(widths.map((width) => '-'.repeat(width)));
  const [head = '', ...rest] = lines.map(format);
  return [head, rule, ...rest].join('\n');
}

function cellsOf(row: Row): string[] {
  const { label, unit, ours, reference, referenceName, target, isMet } = row;
  return [
    label,
    unit,
    rounded(ours.median),
    `${referenceName}: ${rounded(reference.median)}`,
    comparedOf(row),
    targetOf(row),
    target === null ? '' : isMet ? 'yes' : 'no',
  ];
}

function comparedOf({ by, compared, unit }: Row): string {
  const { median, min, max }: Spread = compared;
  const range = `(${rounded(min)} to ${rounded(max)})`;
  return by === 'ratio' ? `${rounded(median)} × ${range}` : `${signed(median)} ${unit} ${range}`;
}

function targetOf({ target, by, unit }: Row): string {
  if (target === null) return '';
  const limit = 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
  return by === 'ratio' ? `${limit} ×` : `${limit} ${unit}`;
}

function signed(value: number): string {
  return value < 0 ? rounded(value) : `+${rounded(value)}`;
}

/** Three digits that count. */
function rounded(value: number): string {
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}
