import type { WorkspaceSettings } from '../../../app/config/projects.ts';
import { configuredNoticeChannels, mayAskIn } from '../../../jobs/policy.ts';
import { CHANNEL_IS_SHARED, isNotInChannel, isPlaceClosed } from '../../../slack/protocol/error-codes.ts';
import type { Inspection } from '../../../slack/workspace/inspection.ts';
import type { NoticeFacts, RefusedNotice } from '../../../store/inspect/facts.ts';
import { type Finding, type Findings, findingsOf } from './finding.ts';
import { slackFailure } from './slack.ts';

/** Each is a question to Slack. */
const ADMINS_ASKED_MAX = 10;

/** What is wrong if people may not ask in a channel, and what to do. */
const OUTSIDE_RECIPE = [
  'nobody may run it, start its drafts or reply to it: access.channels does not name its channel',
  'Add the channel to access.channels in the file of DOCS_AGENT_CONFIG, or choose another one for the recipe.',
] as const;
const OUTSIDE_WORKFLOW = [
  'workflows may ask there, but nobody may reply: access.channels does not name it',
  'Add it to access.channels in the file of DOCS_AGENT_CONFIG, or remove it from workflows.channels.',
] as const;

/** What a workspace's settings name in Slack. */
interface Places {
  readonly inspection: Inspection;
  /** The workspace's, where there may be several; else null. */
  readonly id: string | null;
  /** The same, or the only one's. */
  readonly teamId: string;
  /** Its token is its organisation's. */
  readonly isOrganisation: boolean;
  readonly settings: WorkspaceSettings;
  readonly notices: NoticeFacts;
}

/** Whether the bot is in the channels that the settings name, and the user groups exist. */
export function placeFindings({ inspection, id, teamId, isOrganisation, settings, notices }: Places) {
  const { recipes, digest, access } = settings;
  const subject = (place: string) => (id === null ? place : `${id}/${place}`);
  const saved = notices.saved.filter((one) => one.teamId === teamId);
  const channels = new Set([
    ...configuredNoticeChannels(settings),
    ...saved.map(({ channelId }) => channelId),
  ]);

  /** Whether the bot can post in the channel and read its threads. `more`: what else may be wrong. */
  const place = (channelId: string, findings: Findings, more: Finding | null = null): Promise<Finding> => {
    const mayBeShared = access.sharedChannels?.has(channelId) === true;
    const found = async () => {
      await inspection.isIn(channelId);
      if (mayBeShared || !(await inspection.isShared(channelId)))
        return more ?? findings.ok('the bot is in it');
      return findings.error(
        'it is shared with another organisation, so nothing starts and nothing is posted there',
        'Choose another one; or list it under access.shared_channels in the file of DOCS_AGENT_CONFIG, if its people may read all of it.',
      );
    };
    const refused = (code: string) =>
      findings.error(
        isNotInChannel(code)
          ? `the bot is not in it, or it does not exist (${code})`
          : `Slack refuses (${code})`,
        'Type /invite @docs-agent in the channel, or remove the channel from the settings.',
      );
    return found().catch(slackFailure(findings, refused));
  };

  const notice = (channelId: string) => {
    const findings = findingsOf('notice_channel', subject(channelId));
    const last = notices.refused.find((one) => one.teamId === teamId && one.channelId === channelId);
    return place(
      channelId,
      findings,
      last === undefined || isOver(last) ? null : refusedFinding(last, findings),
    );
  };

  const threads = (channelId: string, findings: Findings, outside: readonly [string, string]) =>
    place(channelId, findings, mayAskIn(access, channelId) ? null : findings.warning(...outside));

  return [
    adminsFinding(inspection, access.admins, findingsOf('admins', id)),
    ...[...channels].map(notice),
    ...recipes.map(({ name, channelId }) =>
      threads(channelId, findingsOf('recipe', subject(name)), OUTSIDE_RECIPE),
    ),
    ...(digest === null ? [] : [digest]).map(({ channelId }) =>
      place(channelId, findingsOf('digest_channel', subject(channelId))),
    ),
    ...[...(access.workflowChannels ?? [])].map((channelId) =>
      threads(channelId, findingsOf('workflow_channel', subject(channelId)), OUTSIDE_WORKFLOW),
    ),
    ...[...access.userGroups].map((groupId) => {
      const findings = findingsOf('user_group', subject(groupId));
      const unknown = (code: string) =>
        findings.error(
          `Slack does not know it (${code})`,
          'Correct access.user_groups in the file of DOCS_AGENT_CONFIG.',
        );
      // An organisation's token needs the workspace.
      const asked = inspection.userGroupExists(groupId, isOrganisation ? id : null);
      return asked.then(() => findings.ok('exists'), slackFailure(findings, unknown));
    }),
  ];
}

/** If it was refused because the bot was not in the channel, or others were, that is fixed. */
function isOver({ reason, isTriedAgain }: RefusedNotice): boolean {
  return isNotInChannel(reason) || reason === CHANNEL_IS_SHARED || (isTriedAgain && !isPlaceClosed(reason));
}

function refusedFinding({ atMs, reason }: RefusedNotice, findings: Findings): Finding {
  return findings.error(
    `the last notice was refused at ${new Date(atMs).toISOString()} (${reason})`,
    'Check whether the channel is archived and who may post in it, or remove it from the settings.',
  );
}

/** Who they are, and whether Slack knows those whom the settings name. */
async function adminsFinding(
  inspection: Inspection,
  admins: ReadonlySet<string>,
  findings: Findings,
): Promise<Finding> {
  if (admins.size === 0) {
    return findings.ok(
      'the admins and owners of the workspace',
      'To name others, set ADMINS, or admins in the file of DOCS_AGENT_CONFIG.',
    );
  }
  const asked = [...admins].slice(0, ADMINS_ASKED_MAX);
  const found = (names: readonly (string | null)[]) => {
    const unknown = asked.filter((_id, index) => names[index] === null);
    const more = admins.size > asked.length ? ` and ${admins.size - asked.length} more` : '';
    return unknown.length === 0
      ? findings.ok(`${names.join(', ')}${more}`)
      : findings.warning(
          `not members of the workspace: ${unknown.join(', ')}`,
          'Correct ADMINS, or admins in the file of DOCS_AGENT_CONFIG. A member id is in the person\'s profile: ⋮, "Copy member ID".',
        );
  };
  const unsaid = (code: string) =>
    findings.error(`Slack does not say who they are (${code})`, 'Run doctor again.');
  return Promise.all(asked.map(inspection.personName)).then(found, slackFailure(findings, unsaid));
}
