import type { WorkspaceSettings } from '../../../app/config/projects.ts';
import { configuredNoticeChannels, mayAskIn } from '../../../jobs/policy.ts';
import { CHANNEL_IS_SHARED, isNotInChannel, isPlaceClosed } from '../../../slack/protocol/error-codes.ts';
import type { Inspection } from '../../../slack/workspace/inspection.ts';
import type { NoticeFacts, RefusedNotice } from '../../../store/inspect/facts.ts';
import { type Finding, type Findings, findingsOf } from './finding.ts';
import { LOOK_AGAIN, slackFailure } from './slack.ts';

/** Each is a question to Slack. */
const ADMINS_ASKED_MAX = 10;

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
  const refused = notices.refused.filter((one) => one.teamId === teamId);
  const saved = notices.saved.filter((one) => one.teamId === teamId);
  const channels = new Set([
    ...configuredNoticeChannels(settings),
    ...saved.map(({ channelId }) => channelId),
  ]);
  const place = (channelId: string, findings: Findings): Place => {
    const isAllowed = access.sharedChannels?.has(channelId) === true;
    return { inspection, channelId, findings, mayBeShared: isAllowed };
  };
  const threads = (channelId: string, findings: Findings, outside: Outside) =>
    threadsFinding(place(channelId, findings), mayAskIn(access, channelId) ? null : outside);
  return [
    adminsFinding(inspection, access.admins, findingsOf('admins', id)),
    ...[...channels].map((channelId) => {
      const last = refused.find((one) => one.channelId === channelId);
      return channelFinding(place(channelId, findingsOf('notice_channel', subject(channelId))), last);
    }),
    ...recipes.map(({ name, channelId }) =>
      threads(channelId, findingsOf('recipe', subject(name)), OUTSIDE_RECIPE),
    ),
    ...(digest === null ? [] : [digest]).map(({ channelId }) =>
      channelFinding(place(channelId, findingsOf('digest_channel', subject(channelId))), undefined),
    ),
    ...[...(access.workflowChannels ?? [])].map((channelId) =>
      threads(channelId, findingsOf('workflow_channel', subject(channelId)), OUTSIDE_WORKFLOW),
    ),
    ...[...access.userGroups].map((groupId) =>
      // An organisation's token needs the workspace.
      userGroupFinding(
        inspection,
        groupId,
        findingsOf('user_group', subject(groupId)),
        isOrganisation ? id : null,
      ),
    ),
  ];
}

/** A channel in which the bot is to post. */
interface Place {
  readonly inspection: Inspection;
  readonly channelId: string;
  readonly findings: Findings;
  /** With another organisation. */
  readonly mayBeShared: boolean;
}

/** Why the bot cannot, or must not, post in the channel or read its threads; null: it can. */
async function absenceFinding({
  inspection,
  channelId,
  findings,
  mayBeShared,
}: Place): Promise<Finding | null> {
  try {
    await inspection.isIn(channelId);
    if (mayBeShared || !(await inspection.isShared(channelId))) return null;
    return findings.error(
      'it is shared with another organisation, so nothing starts and nothing is posted there',
      'Choose another one; or list it under access.shared_channels in the file of DOCS_AGENT_CONFIG, if its people may read all of it.',
    );
  } catch (error) {
    return slackFailure(error, findings, LOOK_AGAIN, (code) =>
      findings.error(
        isNotInChannel(code)
          ? `the bot is not in it, or it does not exist (${code})`
          : `Slack refuses (${code})`,
        'Type /invite @docs-agent in the channel, or remove the channel from the settings.',
      ),
    );
  }
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
  try {
    const asked = [...admins].slice(0, ADMINS_ASKED_MAX);
    const people = await Promise.all(
      asked.map(async (id) => ({ id, name: await inspection.personName(id) })),
    );
    const unknown = people.filter(({ name }) => name === null).map(({ id }) => id);
    if (unknown.length > 0) {
      return findings.warning(
        `not members of the workspace: ${unknown.join(', ')}`,
        'Correct ADMINS, or admins in the file of DOCS_AGENT_CONFIG. A member id is in the person\'s profile: ⋮, "Copy member ID".',
      );
    }
    const more = admins.size > asked.length ? ` and ${admins.size - asked.length} more` : '';
    return findings.ok(`${people.map(({ name }) => name).join(', ')}${more}`);
  } catch (error) {
    return slackFailure(error, findings, LOOK_AGAIN, (code) =>
      findings.error(`Slack does not say who they are (${code})`, LOOK_AGAIN),
    );
  }
}

/** What is wrong if people may not ask in the channel. */
interface Outside {
  readonly found: string;
  readonly next: string;
}

const OUTSIDE_RECIPE: Outside = {
  found: 'nobody may run it, start its drafts or reply to it: access.channels does not name its channel',
  next: 'Add the channel to access.channels in the file of DOCS_AGENT_CONFIG, or choose another one for the recipe.',
};
const OUTSIDE_WORKFLOW: Outside = {
  found: 'workflows may ask there, but nobody may reply: access.channels does not name it',
  next: 'Add it to access.channels in the file of DOCS_AGENT_CONFIG, or remove it from workflows.channels.',
};

/** Whether unattended jobs can post in the channel. `outside`: what else is wrong; null: nothing. */
async function threadsFinding(place: Place, outside: Outside | null): Promise<Finding> {
  const { findings } = place;
  const absence = await absenceFinding(place);
  if (absence !== null) return absence;
  return outside === null ? findings.ok('the bot is in it') : findings.warning(outside.found, outside.next);
}

/** Whether the bot can post in the channel. `refused`: the last notice was. */
async function channelFinding(place: Place, refused: RefusedNotice | undefined): Promise<Finding> {
  const { findings } = place;
  const absence = await absenceFinding(place);
  if (absence !== null) return absence;
  // If it was refused because the bot was not in the channel, or others were, that is fixed.
  const isOver =
    refused === undefined ||
    isNotInChannel(refused.reason) ||
    refused.reason === CHANNEL_IS_SHARED ||
    (refused.isTriedAgain && !isPlaceClosed(refused.reason));
  if (isOver) return findings.ok('the bot is in it');
  return findings.error(
    `the last notice was refused at ${new Date(refused.atMs).toISOString()} (${refused.reason})`,
    'Check whether the channel is archived and who may post in it, or remove it from the settings.',
  );
}

async function userGroupFinding(
  inspection: Inspection,
  groupId: string,
  findings: Findings,
  teamId: string | null,
): Promise<Finding> {
  try {
    await inspection.userGroupExists(groupId, teamId);
    return findings.ok('exists');
  } catch (error) {
    const advice = 'Correct access.user_groups in the file of DOCS_AGENT_CONFIG.';
    return slackFailure(error, findings, LOOK_AGAIN, (code) =>
      findings.error(`Slack does not know it (${code})`, advice),
    );
  }
}
