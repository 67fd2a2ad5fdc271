import { sitesOf } from '../../engine/apply-event.ts';
import { dueMoment, type Moment, momentServed } from '../../engine/schedules.ts';
import type { Digest, MadeReport, Period } from '../../jobs/report/report.ts';
import { lastMoment } from '../../jobs/schedule/moments.ts';
import { partsOf } from '../../store/queries/tasks/task.ts';
import type { ClaimedTask } from '../../store/store.ts';
import { reportView } from '../views/report.ts';
import { TOO_MANY_MESSAGES } from '../workspace/poster.ts';
import { failureOf, isHopeless, type SlackTools, slackRetryMs, sureAtMs } from './refresh/refresh.ts';

/** How late a post without an answer may still reach Slack. */
const ARRIVES_WITHIN_MS = 20_000;

export interface DigestTools extends SlackTools {
  /** Null: the settings have none for the workspace. */
  readonly digestOf: (teamId: string) => Digest | null;
  readonly reportOf: (teamId: string, projectIds: readonly string[], period: Period) => Promise<MadeReport>;
}

export async function postDigest(tools: DigestTools, task: ClaimedTask): Promise<void> {
  const { store, clock } = tools;
  const { teamId } = partsOf(task.subject);
  const digest = tools.digestOf(teamId);
  const moment = await store.transaction(async (tx) => {
    const due = await dueMoment(tx, task, digest?.schedule ?? null, clock.now());
    const sureFromMs = sureAtMs(tools, task);
    if (due === null || clock.now() >= sureFromMs) return due;
    await tx.tasks.delayUntil(task.lease, sureFromMs);
    return null;
  });
  if (moment === null || digest === null) return;
  const failure = await post(tools, task, teamId, digest.channelId, moment);
  await store.transaction(async (tx) => {
    // In a channel with thousands of messages since then, each look would fail the same way.
    const isUnfindable = failure?.code === TOO_MANY_MESSAGES;
    if (failure !== null && !isUnfindable && !isHopeless(task, failure)) {
      const waitMs = Math.max(slackRetryMs(task, failure), ARRIVES_WITHIN_MS);
      return tx.tasks.retryAt(task.lease, clock.now() + waitMs);
    }
    await momentServed(tx, task, moment, clock.now());
  });
}

/** Looks first whether an interrupted attempt has posted it. */
function post(
  tools: DigestTools,
  { lease, unknownUntilMs }: ClaimedTask,
  teamId: string,
  channelId: string,
  moment: Moment,
) {
  const { store, clock, log, newContext, workspaces, reportOf } = tools;
  const place = { channelId, threadTs: null, callId: `digest:${teamId}:${moment.atMs}` };
  return failureOf(
    async () => {
      const { poster, workspaceUrl } = await workspaces.of(teamId);
      const attemptedAtMs = unknownUntilMs === null ? 0 : unknownUntilMs - ARRIVES_WITHIN_MS;
      const mayBeThere = attemptedAtMs >= moment.atMs;
      if (mayBeThere && (await poster.find(place, attemptedAtMs, clock.now())) !== null) return;
      const projectIds = newContext()
        .rulesOf(teamId)
        .projects.map(({ id }) => id);
      const made = await reportOf(teamId, projectIds, periodOf(moment));
      const message = reportView(made, {
        workspaceUrl,
        sites: sitesOf(tools),
        zone: moment.schedule.zone,
        nowMs: clock.now(),
      });
      await store.transaction(async (tx) => {
        // This process may have slept since the look, and another replica have posted.
        await tx.tasks.fence(lease);
        // If this process stops in between, the task's next owner looks only then.
        await tx.tasks.markUnknown(lease, clock.now() + ARRIVES_WITHIN_MS);
      });
      await poster.post({ ...place, message });
    },
    (reason) => log.error('digest_not_posted', { team_id: teamId, channel_id: channelId, reason }),
  );
}

/**
 * Since the previous digest; for the first one, or after a change of schedule, since the schedule's previous
 * time.
 */
function periodOf({ schedule, atMs, servedUntilMs }: Moment): Period {
  const beforeMs = lastMoment(schedule, atMs - 1) ?? servedUntilMs;
  return { sinceMs: Math.min(beforeMs, servedUntilMs), untilMs: atMs };
}
