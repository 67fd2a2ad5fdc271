import { setImmediate as nextTurn } from 'node:timers/promises';
import { HourlyPeak } from '../jobs/report/peak.ts';
import { type Report, Tally } from '../jobs/report/report.ts';
import type { Period, ReportCursor, ReportPage, Reports } from '../store/queries/reports.ts';

/** Each page is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 100;
const CALLS_AT_ONCE = 1_000;

export interface ReportRequest extends Period {
  /** Whose hourly budget counts; null: that of all. */
  readonly projectIds: readonly string[] | null;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
}

/** Reads, in a transaction or beside a running program, one page. */
export type ReadPage = <T>(read: (reports: Reports) => Promise<T>) => Promise<T>;

/** Counts page by page, so that it takes no more memory for more jobs, and the program goes on meanwhile. */
export async function makeReport(
  read: ReadPage,
  { projectIds, hourlyBudget, ...period }: ReportRequest,
): Promise<Report> {
  const tally = new Tally();
  const jobs = (after: ReportCursor<string> | null) =>
    read((reports) => reports.jobs(period, after, JOBS_AT_ONCE));
  await each(jobs, (job) => tally.add(job));
  let most = 0;
  for (const projectId of projectIds ?? (await read((reports) => reports.projects()))) {
    const peak = new HourlyPeak();
    const calls = (after: ReportCursor<number> | null) =>
      read((reports) => reports.agentCalls(projectId, period, after, CALLS_AT_ONCE));
    await each(calls, (atMs) => peak.add(atMs));
    most = Math.max(most, peak.calls);
  }
  return tally.report(period, { peak_per_hour: most, limit: hourlyBudget });
}

async function each<Row, Id>(
  pageAfter: (after: ReportCursor<Id> | null) => Promise<ReportPage<Row, Id>>,
  count: (row: Row) => void,
): Promise<void> {
  let after: ReportCursor<Id> | null = null;
  do {
    const { rows, next }: ReportPage<Row, Id> = await pageAfter(after);
    for (const row of rows) count(row);
    after = next;
    await nextTurn();
  } while (after !== null);
}
