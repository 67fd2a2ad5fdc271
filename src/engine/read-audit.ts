import { type AuditLine, recordedLine, replyLine, startLine } from '../jobs/report/audit.ts';
import type { Period } from '../jobs/report/report.ts';
import type { Audit } from '../store/queries/reports/audit.ts';
import type { Place, Reports } from '../store/queries/reports/reports.ts';
import { rowsOf } from './read-pages.ts';

const ROWS_AT_ONCE = 200;

export interface AuditSources {
  readonly reports: Reports;
  readonly audit: Audit;
}

/**
 * What people did in the period, in the order of time, a line for each. Lines of the same moment keep their order, too.
 * @param withTexts with what people wrote
 */
export async function* readAudit(
  { reports, audit }: AuditSources,
  period: Period,
  withTexts: boolean,
): AsyncGenerator<AuditLine> {
  const jobs = rowsOf((after: Place | null) => reports.jobs(period, null, after, ROWS_AT_ONCE));
  const replies = rowsOf((after: Place<string> | null) => audit.replies(period, after, ROWS_AT_ONCE));
  const recorded = rowsOf((after: Place | null) => audit.recorded(period, after, ROWS_AT_ONCE));
  yield* merged([
    each(jobs, ({ job }) => startLine(job, withTexts)),
    each(replies, (reply) => replyLine(reply, withTexts)),
    each(recorded, recordedLine),
  ]);
}

async function* each<Row>(
  rows: AsyncIterable<Row>,
  lineOf: (row: Row) => AuditLine,
): AsyncGenerator<AuditLine> {
  for await (const row of rows) yield lineOf(row);
}

/** Of lines of the same moment, those of the first source come first. */
async function* merged(sources: readonly AsyncGenerator<AuditLine>[]): AsyncGenerator<AuditLine> {
  const heads = await Promise.all(
    sources.map(async (source) => ({ source, next: (await source.next()).value as AuditLine | undefined })),
  );
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next !== undefined && (first?.next === undefined || head.next.at < first.next.at))
        first = head;
    }
    if (first?.next === undefined) return;
    yield first.next;
    first.next = (await first.source.next()).value;
  }
}
