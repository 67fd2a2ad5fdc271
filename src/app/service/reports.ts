import { makeReport } from '../../engine/make-report.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { MadeReport, Period } from '../../jobs/report/report.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from '../config/config.ts';

/** What people in Slack are shown. */
const SHOWN_MS = 7 * 86_400_000;

/** Counts a period of one workspace, by default the last days, up to now. What may be deleted already is left out. */
export function reporter(
  { agent, retentionMs, codeHostSites: sites }: Config,
  store: Store,
  clock: Clock,
): (teamId: string, projectIds: readonly string[], period?: Period) => Promise<MadeReport> {
  return (teamId, projectIds, period) => {
    const nowMs = clock.now();
    const { sinceMs: fromMs, untilMs } = period ?? { sinceMs: nowMs - SHOWN_MS, untilMs: nowMs };
    const sinceMs = Math.min(Math.max(fromMs, nowMs - retentionMs), untilMs);
    return makeReport((read) => store.transaction((tx) => read(tx.reports), { mayBeLost: true }), {
      ...{ teamId, projectIds, sinceMs, untilMs, sites },
      hourlyBudget: agent.hourlyBudget,
    });
  };
}
