import { makeReport } from '../../engine/make-report.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Report } from '../../jobs/report/report.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from '../config/config.ts';

/** What people in Slack are shown. */
const SHOWN_MS = 7 * 86_400_000;

/** Counts the last days of one workspace, up to now. What may be deleted already is left out. */
export function reporter(
  { agent, retentionMs }: Config,
  store: Store,
  clock: Clock,
): (teamId: string, projectIds: readonly string[]) => Promise<Report> {
  return (teamId, projectIds) => {
    const untilMs = clock.now();
    const sinceMs = untilMs - Math.min(SHOWN_MS, retentionMs);
    return makeReport((read) => store.transaction((tx) => read(tx.reports), { mayBeLost: true }), {
      ...{ teamId, projectIds, sinceMs, untilMs },
      hourlyBudget: agent.hourlyBudget,
    });
  };
}
