import { sitesOf } from '#engine/apply-event.ts';
import { requireAdmin } from '#slack/inbound/admission.ts';
import { inTime } from '#slack/inbound/interaction.ts';
import { bestEffort, type ListenerDeps, type SlashCommand } from '#slack/inbound/listener.ts';
import type { SlackMessage } from '#slack/views/message.ts';
import { notReadView } from '#slack/views/private-answers.ts';
import type { Feature } from '../feature.ts';
import { type ReportOf, reporter } from './count.ts';
import { DIGEST, digestIn, digestSettings, postDigest } from './digest.ts';
import { countingView, reportView } from './view.ts';

export const reports: Feature = {
  settings: digestSettings,
  schedules: (settings) => {
    const digest = digestIn(settings);
    return digest === null ? [] : [{ kind: 'post_digest', name: DIGEST, schedule: digest.schedule }];
  },
  channels: (settings) => {
    const channelId = digestIn(settings)?.channelId;
    return channelId === undefined ? [] : [{ check: 'digest_channel', name: channelId, channelId }];
  },
  run: (tools) => {
    const reportOf = reporter(tools);
    return { tasks: { slack: { post_digest: (task) => postDigest({ ...tools, reportOf }, task) } } };
  },
  listeners: (tools) => ({
    commands: () => ({ report: (deps, command) => report(deps, command, reporter(tools)) }),
  }),
};

export async function report(
  deps: ListenerDeps,
  command: SlashCommand,
  reportOf: ReportOf,
): Promise<SlackMessage | null> {
  await requireAdmin(deps, command.userId, 'see');
  const { teamId, workspaceUrl, log, clock } = deps;
  const counted = reportOf(teamId)
    .then((made) => reportView(made, { workspaceUrl, sites: sitesOf(deps), zone: 'UTC', nowMs: clock.now() }))
    .catch((error: unknown) => {
      log.error('not_shown', { error });
      return notReadView;
    });
  // A slow report follows when it is ready.
  const message = await inTime(deps, 'report', counted, countingView);
  if (message !== countingView) return message;
  await command.tell(message);
  const { userId, responseUrl } = command;
  await bestEffort(deps, deps.poster.respondPrivately(userId, responseUrl, await counted));
  return null;
}
