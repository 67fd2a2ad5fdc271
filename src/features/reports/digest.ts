import { z } from 'zod';
import { sitesOf } from '#engine/apply-event.ts';
import { dueMoment, momentServed } from '#engine/schedules.ts';
import { lastMoment, scheduleShape } from '#jobs/schedule/moments.ts';
import {
  ARRIVES_WITHIN_MS,
  failureOf,
  isHopeless,
  type SlackTools,
  slackRetryMs,
  sureAtMs,
} from '#slack/outbound/refresh.ts';
import { channel } from '#slack/protocol/ids.ts';
import { partsOf } from '#store/queries/task.ts';
import type { ClaimedTask } from '#store/store.ts';
import type { FeatureTools } from '../feature.ts';
import type { ReportOf } from './count.ts';
import { reportView } from './view.ts';

/** No recipe can have this name. */
export const DIGEST = '(digest)';

const settings = z.object({ digest: z.strictObject({ channel, ...scheduleShape }).optional() });

export const digestSettings = settings.shape;

export function digestIn(given: object) {
  const { digest } = settings.parse(given);
  if (digest === undefined) return null;
  const { channel: channelId, schedule: cron, zone = 'UTC' } = digest;
  return { channelId, schedule: { cron, zone } };
}

interface DigestTools extends SlackTools, Pick<FeatureTools, 'featureSettingsOf'> {
  readonly reportOf: ReportOf;
}

export async function postDigest(tools: DigestTools, task: ClaimedTask): Promise<void> {
  const { store, clock } = tools;
  const { lease, unknownUntilMs } = task;
  const { teamId } = partsOf(task.subject);
  const digest = digestIn(tools.featureSettingsOf(teamId));
  const moment = await store.transaction(async (tx) => {
    const due = await dueMoment(tx, task, digest?.schedule ?? null, clock.now());
    const sureFromMs = sureAtMs(tools, task);
    if (due === null || clock.now() >= sureFromMs) return due;
    await tx.tasks.delayUntil(lease, sureFromMs);
    return null;
  });
  if (moment === null || digest === null) return;
  const { channelId } = digest;
  const { schedule, atMs, servedUntilMs } = moment;
  const post = async () => {
    const { poster, workspaceUrl } = await tools.workspaces.of(teamId);
    const place = { channelId, threadTs: null, callId: `digest:${teamId}:${atMs}` };
    // An interrupted attempt may have posted it.
    const attemptedAtMs = unknownUntilMs === null ? 0 : unknownUntilMs - ARRIVES_WITHIN_MS;
    const mayBeThere = attemptedAtMs >= atMs;
    if (mayBeThere && (await poster.find(place, attemptedAtMs, clock.now())) !== null) return;
    // Since the previous digest, or an earlier scheduled time.
    const beforeMs = lastMoment(schedule, atMs - 1) ?? servedUntilMs;
    const made = await tools.reportOf(teamId, { sinceMs: Math.min(beforeMs, servedUntilMs), untilMs: atMs });
    const reader = { workspaceUrl, sites: sitesOf(tools), zone: schedule.zone, nowMs: clock.now() };
    await store.transaction(async (tx) => {
      // If this process slept, another replica may have posted.
      await tx.tasks.fence(lease);
      // After a crash, the next owner waits until then.
      await tx.tasks.markUnknown(lease, clock.now() + ARRIVES_WITHIN_MS);
    });
    await poster.post({ ...place, message: reportView(made, reader) });
  };
  const failure = await failureOf(post, (reason) =>
    tools.log.error('digest_not_posted', { team_id: teamId, channel_id: channelId, reason }),
  );
  await store.transaction(async (tx) => {
    if (failure !== null && !isHopeless(task, failure)) {
      const waitMs = Math.max(slackRetryMs(task, failure), ARRIVES_WITHIN_MS);
      return tx.tasks.retryAt(lease, clock.now() + waitMs);
    }
    await momentServed(tx, task, moment, clock.now());
  });
}
