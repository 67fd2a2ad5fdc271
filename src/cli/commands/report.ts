import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { parseDuration } from '#app/config/checks.ts';
import { parseReportConfig } from '#app/config/config.ts';
import { readAudit } from '#features/reports/audit.ts';
import { makeReport } from '#features/reports/count.ts';
import { Reports } from '#features/reports/queries.ts';
import { codeOf } from '#store/engines/database.ts';
import { readStore } from '#store/inspect.ts';
import { type Host, UsageError } from '../command.ts';

const FORMATS = new Map([
  ['table', table],
  ['csv', csv],
  ['json', (report: object) => JSON.stringify(report, null, 2)],
]);

export async function report(args: string[], { env, now }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { since: { type: 'string', default: '7d' }, format: { type: 'string', default: 'table' } },
  });
  const format = FORMATS.get(values.format);
  if (format === undefined) throw new UsageError('--format must be table, csv or json.');
  const { store, retentionMs, ...settings } = parseReportConfig(env);
  const scope = { ...periodOf(values.since, retentionMs, now()), teamId: null, projectIds: null };
  const { report: made } = await readStore(store, (queries) =>
    makeReport((read) => read(new Reports(queries)), { ...scope, ...settings }),
  );
  console.log(format(made));
  return 0;
}

export async function audit(args: string[], { env, now }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      since: { type: 'string', default: '7d' },
      prompts: { type: 'boolean', default: false },
    },
  });
  const { store, retentionMs } = parseReportConfig(env);
  const period = periodOf(values.since, retentionMs, now());
  await readStore(store, async (queries) => {
    const lines = async function* () {
      const entries = readAudit(new Reports(queries), period, values.prompts);
      for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
    };
    await pipeline(lines, process.stdout, { end: false }).catch((error: unknown) => {
      // The reader may stop: `docs-agent audit | head`.
      if (codeOf(error) !== 'EPIPE') throw error;
    });
  });
  return 0;
}

/** Warns if RETENTION limits it. */
function periodOf(since: string, retentionMs: number, nowMs: number) {
  const askedMs = parseDuration(since);
  if (askedMs === null || askedMs === 0) {
    throw new UsageError('--since must be a duration with a unit, such as 24h or 7d.');
  }
  if (askedMs > retentionMs) {
    const begins = new Date(nowMs - retentionMs).toISOString();
    console.error(`Older jobs have been deleted (RETENTION), so this begins at ${begins}.`);
  }
  return { sinceMs: nowMs - Math.min(askedMs, retentionMs), untilMs: nowMs };
}

/** `starts.by_source.command,3`. Needs no quotes. */
function csv(report: object): string {
  const linesOf = (tree: object, path: string): string[] =>
    Object.entries(tree).flatMap(([name, value]) =>
      isTree(value) ? linesOf(value, `${path}${name}.`) : `${path}${name},${value ?? ''}`,
    );
  return ['measure,value', ...linesOf(report, '')].join('\n');
}

function table(report: object): string {
  const rowsOf = (tree: object, indent: string): { label: string; value: string }[] =>
    Object.entries(tree).flatMap(([name, value]) => {
      const label = indent + name.replaceAll('_', ' ');
      if (!isTree(value)) return { label, value: String(value ?? '-') };
      const rows = rowsOf(value, `${indent}  `);
      return rows.length === 0 ? [] : [{ label, value: '' }, ...rows];
    });
  const rows = rowsOf(report, '');
  const width = Math.max(...rows.map(({ label }) => label.length));
  return rows.map(({ label, value }) => `${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
