import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { parseReportConfig } from '../../app/config/config.ts';
import { readAudit } from '../../engine/reports.ts';
import { codeOf } from '../../store/engines/connection-turns.ts';
import { readStore } from '../../store/inspect/inspect.ts';
import { Audit, Reports } from '../../store/queries/reports/reports.ts';
import type { Host } from '../command.ts';
import { periodOf } from './report.ts';

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
    const sources = { reports: new Reports(queries), audit: new Audit(queries) };
    const entries = readAudit(sources, period, values.prompts);
    const inLines = async function* (of: typeof entries) {
      for await (const entry of of) yield `${JSON.stringify(entry)}\n`;
    };
    await pipeline(entries, inLines, process.stdout, { end: false }).catch((error: unknown) => {
      // The reader has enough: `docs-agent audit | head`.
      if (codeOf(error) !== 'EPIPE') throw error;
    });
  });
  return 0;
}
