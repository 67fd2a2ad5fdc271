import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CodeHostSite } from '../jobs/pull-requests/link.ts';
import { type Audited, type AuditLine, auditLine, startOf } from '../jobs/report/audit.ts';
import { HourlyPeak, type MadeReport, type Period, Tally } from '../jobs/report/report.ts';
import type { Audit, Reports } from '../store/queries/reports/reports.ts';
import type { Page, Place } from '../store/queries/table.ts';

/** Each page is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 100;
const CALLS_AT_ONCE = 1_000;

export type ReportRequest = Period &
  Readonly<{
    /** Null: all workspaces. */
    teamId: string | null;
    /** The projects whose hourly budgets count; null: all. */
    projectIds: readonly string[] | null;
    hourlyBudget: number;
    /** For recognising pull requests by any of their URLs. */
    sites: readonly CodeHostSite[];
  }>;

/** Reads one page, in a transaction or beside a running program. */
export type ReadPage = <T>(read: (reports: Reports) => Promise<T>) => Promise<T>;

/** Counts page by page, so that its memory does not grow with the jobs, and the program keeps working. */
export async function makeReport(
  read: ReadPage,
  { teamId, projectIds, hourlyBudget, sites, ...period }: ReportRequest,
): Promise<MadeReport> {
  const tally = new Tally(period, sites);
  for (const which of ['jobs', 'startedAgain'] as const) {
    const jobs = rowsOf((after) => read((reports) => reports[which](period, teamId, after, JOBS_AT_ONCE)));
    for await (const job of jobs) tally.add(job);
  }
  let most = 0;
  for (const projectId of projectIds ?? (await read((reports) => reports.projects()))) {
    const peak = new HourlyPeak();
    const calls = rowsOf((after) =>
      read((reports) => reports.agentCalls(projectId, period, after, CALLS_AT_ONCE)),
    );
    for await (const atMs of calls) peak.add(atMs);
    most = Math.max(most, peak.calls);
  }
  const report = tally.report({ peak_per_hour: most, limit: hourlyBudget });
  return { report, leftToDo: tally.leftToDo() };
}

/** All rows, one after the other. Between two pages, the program does other work. */
async function* rowsOf<Row>(pageAfter: (after: Place | null) => Promise<Page<Row>>): AsyncGenerator<Row> {
  let after: Place | null = null;
  do {
    const { rows, next }: Page<Row> = await pageAfter(after);
    yield* rows;
    after = next;
    await nextTurn();
  } while (after !== null);
}

const ROWS_AT_ONCE = 200;

/**
 * What people did in the period, one line each, in order of time. Lines of the same moment have a stable
 * order.
 * @param withTexts includes what people wrote
 */
export async function* readAudit(
  { reports, audit }: { reports: Reports; audit: Audit },
  period: Period,
  withTexts: boolean,
): AsyncGenerator<AuditLine> {
  const starts = rowsOf(async (after) => {
    const { rows, next } = await reports.jobs(period, null, after, ROWS_AT_ONCE);
    return { rows: rows.map(({ job }) => startOf(job)), next };
  });
  const replies = rowsOf((after) => audit.replies(period, after, ROWS_AT_ONCE));
  const recorded = rowsOf((after) => audit.recorded(period, after, ROWS_AT_ONCE));
  for await (const one of merged([starts, replies, recorded])) yield auditLine(one, withTexts);
}

/** Of the same moment, those of the first source come first. */
async function* merged(sources: readonly AsyncGenerator<Audited>[]): AsyncGenerator<Audited> {
  const heads = await Promise.all(
    sources.map(async (source) => ({ source, next: (await source.next()).value as Audited | undefined })),
  );
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next !== undefined && (first?.next === undefined || head.next.atMs < first.next.atMs))
        first = head;
    }
    if (first?.next === undefined) return;
    yield first.next;
    first.next = (await first.source.next()).value;
  }
}
