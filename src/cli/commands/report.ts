import { parseArgs } from 'node:util';
import { parseDuration } from '../../app/config/checks.ts';
import { parseReportConfig } from '../../app/config/config.ts';
import { makeReport } from '../../engine/reports.ts';
import type { Report } from '../../jobs/report/report.ts';
import { readStore } from '../../store/inspect/inspect.ts';
import { Reports } from '../../store/queries/reports/reports.ts';
import { type Host, UsageError } from '../command.ts';

const FORMATS = { table, csv, json };

export async function report(args: string[], { env, now }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { since: { type: 'string', default: '7d' }, format: { type: 'string', default: 'table' } },
  });
  const { format } = values;
  if (format !== 'table' && format !== 'csv' && format !== 'json')
    throw new UsageError('--format must be table, csv or json.');
  const config = parseReportConfig(env);
  const period = periodOf(values.since, config.retentionMs, now());
  const { report: made } = await readStore(config.store, (queries) =>
    makeReport((read) => read(new Reports(queries)), {
      ...{ ...period, teamId: null, projectIds: null },
      hourlyBudget: config.hourlyBudget,
      sites: config.codeHostSites,
    }),
  );
  console.log(FORMATS[format](made));
  return 0;
}

/** Up to now. Anything older than RETENTION may be deleted: it says so, and begins there. */
export function periodOf(since: string, retentionMs: number, nowMs: number) {
  const askedMs = parseDuration(since);
  if (askedMs === null || askedMs === 0) {
    throw new UsageError('--since must be a duration with a unit, such as 24h or 7d.');
  }
  const begins = new Date(nowMs - retentionMs).toISOString();
  if (askedMs > retentionMs) {
    console.error(`Older jobs have been deleted (RETENTION), so this begins at ${begins}.`);
  }
  return { sinceMs: nowMs - Math.min(askedMs, retentionMs), untilMs: nowMs };
}

function json(made: Report): string {
  return JSON.stringify(made, null, 2);
}

/** Names such as `starts.by_source.command`; unknown values are empty. Nothing needs quotation marks. */
function csv(made: Report): string {
  const lines = measures(made).map(({ path, value }) => `${path.join('.')},${value ?? ''}`);
  return ['measure,value', ...lines].join('\n');
}

function table(made: Report): string {
  const rows = measures(made).flatMap(({ path, value }, index, all) => {
    const before = all[index - 1]?.path ?? [];
    const headings = path.slice(0, -1).flatMap((name, depth) => {
      const isNew = path.slice(0, depth + 1).join('.') !== before.slice(0, depth + 1).join('.');
      return isNew ? [{ label: indented(name, depth), value: '' }] : [];
    });
    const label = indented(path.at(-1) ?? '', path.length - 1);
    return [...headings, { label, value: String(value ?? '-') }];
  });
  const width = Math.max(...rows.map(({ label }) => label.length));
  return rows.map(({ label, value }) => `${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

function indented(name: string, depth: number): string {
  return '  '.repeat(depth) + name.replaceAll('_', ' ');
}

interface Measure {
  readonly path: readonly string[];
  readonly value: string | number | null;
}

function measures(tree: object, path: readonly string[] = []): Measure[] {
  return Object.entries(tree).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? measures(value, [...path, name])
      : [{ path: [...path, name], value }],
  );
}
