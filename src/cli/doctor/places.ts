import type { WorkspaceSettings } from '../../app/config/workspaces.ts';
import { isNotInChannel } from '../../slack/protocol/absence.ts';
import type { Inspection } from '../../slack/workspace/inspection.ts';
import type { NoticeFacts, RefusedNotice } from '../../store/inspect/facts.ts';
import { type Finding, findingsOf, within } from './finding.ts';
import { slackFailure } from './slack-failure.ts';

/** The token was accepted before: it was revoked meanwhile. */
const LOOK_AGAIN = 'Run doctor again.';

/** Of the settings and the file, without those that administrators saved in Slack. */
function configuredChannels({ noticeChannels, projects, channels }: WorkspaceSettings): string[] {
  return [
    ...noticeChannels,
    ...projects.flatMap((project) => project.noticeChannels),
    ...[...channels.values()].flatMap((channel) => channel.noticeChannels ?? []),
  ];
}

/** Whether notices can be posted in each of the channels. */
export function noticeFindings(
  inspection: Inspection,
  {
    id: workspace,
    settings,
    teamId,
    notices,
  }: {
    readonly id: string | null;
    readonly settings: WorkspaceSettings;
    readonly teamId: string;
    readonly notices: NoticeFacts;
  },
): Promise<Finding[]> {
  const saved = notices.saved.filter((one) => one.teamId === teamId).map(({ channelId }) => channelId);
  const refused = notices.refused.filter((one) => one.teamId === teamId);
  const channels = new Set([...configuredChannels(settings), ...saved]);
  return Promise.all(
    [...channels].map((channelId) =>
      channelFinding(
        inspection,
        channelId,
        findingsOf('notice_channel', within(workspace, channelId)),
        refused.find((one) => one.channelId === channelId),
      ),
    ),
  );
}

async function channelFinding(
  inspection: Inspection,
  channelId: string,
  findings: ReturnType<typeof findingsOf>,
  refused: RefusedNotice | undefined,
): Promise<Finding> {
  try {
    await inspection.isIn(channelId);
  } catch (error) {
    const { finding, failure } = slackFailure(error, findings, LOOK_AGAIN);
    const found = isNotInChannel(failure.code)
      ? `the bot is not in it, or it does not exist (${failure.code})`
      : `Slack refuses (${failure.code})`;
    return (
      finding ??
      findings.error(found, 'In the channel, type /invite @docs-agent; or take it out of the settings.')
    );
  }
  // If the bot was not in it by then, that is mended.
  if (refused === undefined || isNotInChannel(refused.reason)) return findings.ok('the bot is in it');
  const { reason, atMs } = refused;
  return findings.error(
    `the last notice was refused at ${new Date(atMs).toISOString()} (${reason})`,
    'See whether the channel is archived, or who may post in it; or take it out of the settings.',
  );
}

/**
 * Whether the user groups of the access rules exist.
 * @param servedTeamId the workspace, if the token is that of its organisation; else null
 */
export function userGroupFindings(
  inspection: Inspection,
  workspace: string | null,
  { access }: WorkspaceSettings,
  servedTeamId: string | null,
): Promise<Finding[]> {
  return Promise.all(
    [...access.userGroups].map(async (groupId) => {
      const findings = findingsOf('user_group', within(workspace, groupId));
      try {
        await inspection.userGroupExists(groupId, servedTeamId);
        return findings.ok('exists');
      } catch (error) {
        const { finding, failure } = slackFailure(error, findings, LOOK_AGAIN);
        const advice = 'Correct access.user_groups in the file of DOCS_AGENT_CONFIG.';
        return finding ?? findings.error(`Slack does not know it (${failure.code})`, advice);
      }
    }),
  );
}
