import type { WorkspaceSettings } from '../../../app/config/projects.ts';
import { configuredNoticeChannels, mayAskIn } from '../../../jobs/policy.ts';
import { Vault, VaultError } from '../../../slack/install/vault.ts';
import { CHANNEL_IS_SHARED, isNotInChannel, isPlaceClosed } from '../../../slack/protocol/error-codes.ts';
import { INSTALL_PATH } from '../../../slack/protocol/ids.ts';
import type { Inspection } from '../../../slack/workspace/inspection.ts';
import type { NoticeFacts, StoreFacts } from '../../../store/inspect/facts.ts';
import { type Finding, type Findings, findingsOf, type Given } from './finding.ts';
import { emojiFindings, inspectionWith, markingIn, scopesFinding, slackFailure } from './slack.ts';

const RENEW_BOT_TOKEN =
  'Install the app again ("Install App"), and set SLACK_BOT_TOKEN to its Bot User OAuth Token (xoxb-…).';
const INSTALL = `Install the app there: https://<your address>${INSTALL_PATH}.`;

/** A workspace or organisation with the app installed. */
interface Installed {
  /** Null: there is only one, which the token identifies. */
  readonly id: string | null;
  readonly token: string;
  readonly howToRenew: string;
  readonly settingsOf: readonly { readonly id: string | null; readonly settings: WorkspaceSettings }[];
}

/**
 * What Slack says of each token, and how far this clock is ahead of Slack's. `store`: null if it cannot be
 * read.
 */
export async function askSlack(given: Given, store: StoreFacts | null) {
  const { installed, findings } = installationsOf(given, store);
  const asked = await Promise.all(
    installed.map(async (one) => {
      const inspection = inspectionWith(one.token, given);
      const answer = await inspection.token().catch((error: unknown) => ({ error }));
      return { ...one, inspection, answer };
    }),
  );
  const clocks = asked.flatMap(({ answer }) => ('error' in answer ? [] : [answer.clockAheadMs]));
  return { findings, asked, clockAheadMs: clocks.find((aheadMs) => aheadMs !== null) ?? null };
}

type Asked = Awaited<ReturnType<typeof askSlack>>;

/** Problems with the installations, then each one's token, scopes, notice channels and user groups. */
export async function workspaceFindings(
  { findings, asked }: Asked,
  store: StoreFacts | null,
): Promise<Finding[]> {
  const notices = store?.notices ?? { saved: [], refused: [] };
  const ofEach = await Promise.all(asked.map((one) => tokenAndPlaces(one, notices)));
  return [...findings, ...ofEach.flat()];
}

/** Where the app is installed, and problems found before Slack is asked. */
function installationsOf({ config }: Given, store: StoreFacts | null) {
  const { installing } = config.slack;
  const installed: Installed[] = [];
  const findings: Finding[] = [];
  if (installing.kind === 'by_hand') {
    const settingsOf = [{ id: null, settings: config }];
    installed.push({ id: null, token: installing.botToken, howToRenew: RENEW_BOT_TOKEN, settingsOf });
    return { installed, findings };
  }
  // Without the store, nothing is known about them.
  if (store === null) return { installed, findings };
  const { installations, organisations } = store;
  const vault = new Vault(installing.encryptionKeys);
  const without = [...config.workspaces].filter(([id]) => !installations.some((one) => one.id === id));
  const served = without.flatMap(([id, settings]) => {
    const organisation = installations.find((one) => one.isOrganisation && one.id === organisations.get(id));
    return organisation === undefined ? [] : [{ id, settings, by: organisation.id }];
  });
  const hasOrganisation = installations.some(({ isOrganisation }) => isOrganisation);
  for (const [id] of without) {
    if (!served.some((one) => one.id === id)) findings.push(notInstalled(id, hasOrganisation));
  }
  for (const { id, isOrganisation, token: sealed } of installations) {
    const settings = config.workspaces.get(id);
    if (settings === undefined && !isOrganisation) {
      findings.push(
        findingsOf('settings', id).warning(
          'the app is installed, but the settings do not name this workspace: its people are refused',
          'List it under workspaces in the file of DOCS_AGENT_CONFIG, or remove the app there.',
        ),
      );
    }
    const own = settings === undefined ? [] : [{ id, settings }];
    const settingsOf = [...own, ...served.filter(({ by }) => by === id)];
    try {
      installed.push({ id, token: vault.open(id, sealed), howToRenew: INSTALL, settingsOf });
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      const found = `its token cannot be read: ${error.message}`;
      findings.push(findingsOf('slack_token', id).error(found, 'Correct TOKEN_ENCRYPTION_KEY.'));
    }
  }
  return { installed, findings };
}

/** A workspace's organisation is known only once the app was used there. */
function notInstalled(id: string, hasOrganisation: boolean): Finding {
  const { warning } = findingsOf('slack_token', id);
  return hasOrganisation
    ? warning(
        'the app is not installed, or was never used there: its notice channels and user groups were not checked',
        `If its organisation has the app, use the app there once, and run doctor again. ${INSTALL}`,
      )
    : warning('the app is not installed', INSTALL);
}

async function tokenAndPlaces(asked: Asked['asked'][number], notices: NoticeFacts): Promise<Finding[]> {
  const { id, answer, howToRenew, settingsOf, inspection } = asked;
  const findings = findingsOf('slack_token', id);
  // Without a token that Slack accepts, nothing else can be checked.
  if ('error' in answer) {
    const refused = (code: string) => findings.error(`Slack refuses the token (${code})`, howToRenew);
    return [slackFailure(findings, refused, howToRenew)(answer.error)];
  }
  const { workspace, teamId, botName, scopes } = answer;
  const marking = settingsOf.flatMap(({ id: own, settings }) => markingIn(own, settings));
  const places = settingsOf.flatMap((own) => placeFindings(asked, own, own.id ?? teamId, notices));
  return [
    findings.ok(`@${botName} in ${workspace} (${teamId})`),
    scopesFinding(
      id,
      scopes,
      settingsOf.map(({ settings }) => settings),
    ),
    ...(await Promise.all(places)),
    ...(await emojiFindings(inspection, scopes, marking)),
  ];
}

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

/**
 * Whether the bot is in the channels that a workspace's settings name, and the user groups exist.
 * @param own `id`: the workspace's, where there may be several; else null
 * @param teamId the same, or the only one's
 */
function placeFindings(
  { inspection, id: installationId }: Asked['asked'][number],
  { id, settings }: Installed['settingsOf'][number],
  teamId: string,
  notices: NoticeFacts,
) {
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
    if (last === undefined) return place(channelId, findings);
    const { atMs, reason, isTriedAgain } = last;
    // If it was refused because the bot was not in the channel, or others were, that is fixed.
    const isOver =
      isNotInChannel(reason) || reason === CHANNEL_IS_SHARED || (isTriedAgain && !isPlaceClosed(reason));
    const refused = findings.error(
      `the last notice was refused at ${new Date(atMs).toISOString()} (${reason})`,
      'Check whether the channel is archived and who may post in it, or remove it from the settings.',
    );
    return place(channelId, findings, isOver ? null : refused);
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
      const asked = inspection.userGroupExists(groupId, id === installationId ? null : id);
      return asked.then(() => findings.ok('exists'), slackFailure(findings, unknown));
    }),
  ];
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
