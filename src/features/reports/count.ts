import { sitesOf } from '#engine/apply-event.ts';
import type { CodeHostSite } from '#jobs/pull-requests/link.ts';
import type { FeatureTools } from '../feature.ts';
import { Reports, slicesOf } from './queries.ts';
import { createTally, type MadeReport, type Period } from './report.ts';

type ReportRequest = Period &
  Readonly<{
    teamId: string | null;
    /** Null: all. */
    projectIds: readonly string[] | null;
    hourlyBudget: number;
    sites: readonly CodeHostSite[];
  }>;

/** Counts slice by slice: other work goes on in between. */
export async function makeReport(
  read: <T>(query: (reports: Reports) => Promise<T>) => Promise<T>,
  { teamId, projectIds, hourlyBudget: limit, sites, ...period }: ReportRequest,
): Promise<MadeReport> {
  const tally = createTally(period, sites);
  for await (const slice of slicesOf(period)) {
    for (const job of await read((reports) => reports.jobs(slice, teamId))) tally.add(job);
  }
  for (const job of await read((reports) => reports.startedAgain(period, teamId))) tally.add(job);
  const peak = await read((reports) => reports.busiestHour(period, projectIds));
  return tally.report({ peak_per_hour: peak, limit });
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
