import type { CodeHostSite } from '../jobs/pull-requests/link.ts';
import { HourlyPeak } from '../jobs/report/peak.ts';
import { type MadeReport, type Period, Tally } from '../jobs/report/report.ts';
import type { Place, Reports } from '../store/queries/reports/reports.ts';
import { rowsOf } from './read-pages.ts';

/** Each page is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 100;
const CALLS_AT_ONCE = 1_000;

export interface ReportRequest extends Period {
  /** Null: all workspaces. */
  readonly teamId: string | null;
  /** Whose hourly budget counts; null: that of all. */
  readonly projectIds: readonly string[] | null;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  /** Whose pull requests are known by any of their addresses. */
  readonly sites: readonly CodeHostSite[];
}

/** Reads, in a transaction or beside a running program, one page. */
export type ReadPage = <T>(read: (reports: Reports) => Promise<T>) => Promise<T>;

/** Counts page by page, so that it takes no more memory for more jobs, and the program goes on meanwhile. */
export async function makeReport(
  read: ReadPage,
  { teamId, projectIds, hourlyBudget, sites, ...period }: ReportRequest,
): Promise<MadeReport> {
  const tally = new Tally(period, sites);
  const jobs = rowsOf((after: Place | null) =>
    read((reports) => reports.jobs(period, teamId, after, JOBS_AT_ONCE)),
  );
  for await (const job of jobs) tally.add(job);
  const again = rowsOf((after: Place | null) =>
    read((reports) => reports.startedAgain(period, teamId, after, JOBS_AT_ONCE)),
  );
  for await (const job of again) tally.add(job);
  let most = 0;
  for (const projectId of projectIds ?? (await read((reports) => reports.projects()))) {
    const peak = new HourlyPeak();
    const calls = rowsOf((after: Place<number, number> | null) =>
      read((reports) => reports.agentCalls(projectId, period, after, CALLS_AT_ONCE)),
    );
    for await (const atMs of calls) peak.add(atMs);
    most = Math.max(most, peak.calls);
  }
  const report = tally.report({ peak_per_hour: most, limit: hourlyBudget });
  return { report, leftToDo: tally.leftToDo() };
}
