import { sitesOf } from '#engine/apply-event.ts';
import type { CodeHostSite } from '#jobs/pull-requests/link.ts';
import type { FeatureTools } from '../feature.ts';
import { Reports, rowsOf } from './queries.ts';
import { createTally, hourlyPeak, type MadeReport, type Period } from './report.ts';

/** On SQLite, a page's transaction blocks all else. */
const JOBS_PER_PAGE = 100;
const CALLS_PER_PAGE = 1_000;

type ReportRequest = Period &
  Readonly<{
    teamId: string | null;
    /** Null: all. */
    projectIds: readonly string[] | null;
    hourlyBudget: number;
    sites: readonly CodeHostSite[];
  }>;

/** Counts page by page, in constant memory. */
export async function makeReport(
  read: <T>(query: (reports: Reports) => Promise<T>) => Promise<T>,
  { teamId, projectIds, hourlyBudget, sites, ...period }: ReportRequest,
): Promise<MadeReport> {
  const tally = createTally(period, sites);
  for (const which of ['jobs', 'startedAgain'] as const) {
    const jobs = rowsOf((after) => read((reports) => reports[which](period, teamId, after, JOBS_PER_PAGE)));
    for await (const job of jobs) tally.add(job);
  }
  let most = 0;
  for (const projectId of projectIds ?? (await read((reports) => reports.projects()))) {
    const calls = rowsOf((after) =>
      read((reports) => reports.agentCalls(projectId, period, after, CALLS_PER_PAGE)),
    );
    most = Math.max(most, await hourlyPeak(calls));
  }
  return tally.report({ peak_per_hour: most, limit: hourlyBudget });
}

const SHOWN_MS = 7 * 86_400_000;

export type ReportOf = ReturnType<typeof reporter>;

/** Omits times whose jobs retention may have deleted. */
export function reporter(
  tools: Pick<FeatureTools, 'store' | 'clock' | 'newContext' | 'hourlyBudget' | 'retentionMs'>,
) {
  const { store, clock, newContext, hourlyBudget, retentionMs } = tools;
  return (teamId: string, period?: Period) => {
    const nowMs = clock.now();
    const { sinceMs: fromMs, untilMs } = period ?? { sinceMs: nowMs - SHOWN_MS, untilMs: nowMs };
    const sinceMs = Math.min(Math.max(fromMs, nowMs - retentionMs), untilMs);
    const projectIds = newContext()
      .rulesOf(teamId)
      .projects.map(({ id }) => id);
    return makeReport((query) => store.transaction((tx) => query(tx.queries(Reports))), {
      ...{ teamId, projectIds, sinceMs, untilMs, sites: sitesOf(tools), hourlyBudget },
    });
  };
}
