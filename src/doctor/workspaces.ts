import type { Config } from '#app/config/config.ts';
import { features } from '#app/features.ts';
import { configuredNoticeChannels, mayAskIn } from '#jobs/policy.ts';
import { Vault, VaultError } from '#slack/install/vault.ts';
import { CHANNEL_IS_SHARED, isNotInChannel, isPlaceClosed } from '#slack/protocol/error-codes.ts';
import { INSTALL_PATH } from '#slack/protocol/ids.ts';
import { type Inspection, inspectionBy } from '#slack/workspace/inspection.ts';
import type { NoticeFacts, StoreFacts } from '#store/inspect.ts';
import { type Finding, type Findings, findingsOf, type Given } from './finding.ts';
import { emojiFinding, emojiNames, INVITE, type Served, scopesFinding, slackFailure } from './slack.ts';

const RENEW_BOT_TOKEN =
  'Install the app again ("Install App"), and set SLACK_BOT_TOKEN to its Bot User OAuth Token (xoxb-…).';
const INSTALL = `Install the app there: https://<your address>${INSTALL_PATH}.`;

/** `id` as in `Served`, or an organisation's. */
type Installed = Readonly<{
  id: string | null;
  token: string;
  howToRenew: string;
  served: readonly Served[];
}>;

/** @param store null: unreadable */
export async function askSlack({ config, tools }: Given<Config>, store: StoreFacts | null) {
  const { installed, findings } = installationsOf(config, store);
  const notices = store?.notices ?? { saved: [], refused: [] };
  const asked = await Promise.all(
    installed.map(async (one) => {
      const inspection = inspectionBy(one.token, config.slack.apiUrl, tools);
      const findings = findingsOf('slack_token', one.id);
      const refused = (code: string) => findings.error(`Slack refuses the token (${code})`, one.howToRenew);
      const token = await inspection.token().catch(slackFailure(findings, refused, one.howToRenew));
      if ('check' in token) return { found: [token], clockAheadMs: null };
      const { identity, signedInAs, scopes, clockAheadMs } = token;
      const { teamId } = identity;
      const settings = one.served.map((own) => own.settings);
      const names = await emojiNames(inspection, scopes, settings);
      const places = one.served.flatMap((own) =>
        placeFindings(inspection, own, { teamId: own.id ?? teamId, notices, names }),
      );
      const found = [
        findings.ok(`@${signedInAs.botName} in ${signedInAs.workspaceName} (${teamId})`),
        scopesFinding(one.id, scopes, settings, config),
        ...(await Promise.all(places)),
      ];
      return { found, clockAheadMs };
    }),
  );
  const [clockAheadMs = null] = asked.flatMap((one) => one.clockAheadMs ?? []);
  return { findings: [...findings, ...asked.flatMap(({ found }) => found)], clockAheadMs };
}

function installationsOf({ slack: { installing }, workspaces, ...config }: Config, store: StoreFacts | null) {
  const findings: Finding[] = [];
  if (installing.kind === 'by_hand') {
    const served = [{ id: null, settings: config }];
    const only: Installed = { id: null, token: installing.botToken, howToRenew: RENEW_BOT_TOKEN, served };
    return { installed: [only], findings };
  }
  const installed: Installed[] = [];
  if (store === null) return { installed, findings };
  const { installations, organisations } = store;
  const ofOrganisations = installations.filter(({ isOrganisation }) => isOrganisation);
  const byInstallation = Map.groupBy(
    [...workspaces].map(([id, settings]) => ({ id, settings })),
    ({ id }) =>
      installations.find((one) => one.id === id) ??
      ofOrganisations.find((one) => one.id === organisations.get(id)),
  );
  for (const { id } of byInstallation.get(undefined) ?? []) {
    findings.push(notInstalled(id, ofOrganisations.length > 0));
  }
  const vault = new Vault(installing.encryptionKeys);
  for (const installation of installations) {
    const { id, isOrganisation, token: sealed } = installation;
    const served = byInstallation.get(installation) ?? [];
    if (served.length === 0 && !isOrganisation) {
      findings.push(
        findingsOf('settings', id).warning(
          'the app is installed, but the settings do not name this workspace: its people are refused',
          'List it under workspaces in the file of DOCS_AGENT_CONFIG, or remove the app there.',
        ),
      );
    }
    try {
      installed.push({ id, token: vault.open(id, sealed), howToRenew: INSTALL, served });
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      const found = `its token cannot be read: ${error.message}`;
      findings.push(findingsOf('slack_token', id).error(found, 'Correct TOKEN_ENCRYPTION_KEY.'));
    }
  }
  return { installed, findings };
}

/** Slack reveals the organisation when the app is used there. */
function notInstalled(id: string, hasOrganisation: boolean) {
  const { warning } = findingsOf('slack_token', id);
  return hasOrganisation
    ? warning(
        'the app is not installed, or was never used there: its notice channels were not checked',
        `If its organisation has the app, use the app there once, and run doctor again. ${INSTALL}`,
      )
    : warning('the app is not installed', INSTALL);
}

type PlaceFacts = Readonly<{
  teamId: string;
  notices: NoticeFacts;
  names: Awaited<ReturnType<typeof emojiNames>>;
}>;

function placeFindings(
  inspection: Inspection,
  { id, settings }: Served,
  { teamId, notices, names }: PlaceFacts,
) {
  const { featureSettings, access } = settings;
  const saved = notices.saved.filter((one) => one.teamId === teamId);
  const channels = new Set([
    ...configuredNoticeChannels(settings),
    ...saved.map(({ channelId }) => channelId),
  ]);

  /** @param more of a channel that the bot is in */
  const place = (channelId: string, findings: Findings, more: Finding | null) => {
    const reached = async () => {
      const mayBeShared = access.sharedChannels?.has(channelId);
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
        INVITE,
      );
    return inspection.isIn(channelId).then(reached).catch(slackFailure(findings, refused));
  };

  /** @param outside what does not work where nobody may ask, if anything */
  const asking = (channelId: string, { warning }: Findings, outside: string | undefined) =>
    outside === undefined || mayAskIn(access, channelId)
      ? null
      : warning(
          `${outside}: access.channels does not name the channel`,
          'Add it to access.channels in the file of DOCS_AGENT_CONFIG, or choose another one.',
        );

  const notice = (channelId: string) => {
    const findings = findingsOf('notice_channel', channelId, id);
    const last = notices.refused.find((one) => one.teamId === teamId && one.channelId === channelId);
    if (last === undefined) return place(channelId, findings, null);
    const { atMs, reason, isTriedAgain } = last;
    // If these still apply, `place` reports them.
    const isOver =
      isNotInChannel(reason) || reason === CHANNEL_IS_SHARED || (isTriedAgain && !isPlaceClosed(reason));
    const refused = findings.error(
      `the last notice was refused at ${new Date(atMs).toISOString()} (${reason})`,
      'Check whether the channel is archived and who may post in it, or remove it from the settings.',
    );
    return place(channelId, findings, isOver ? null : refused);
  };

  const ofFeatures = features.flatMap(({ channels: named }) => named?.(featureSettings) ?? []);
  const ofWorkflows = [...(access.workflowChannels ?? [])].map((channelId) => {
    const outside = 'workflows may ask there, but nobody may reply';
    return { check: 'workflow_channel' as const, name: channelId, channelId, outside };
  });
  const ofEmoji = [...settings.channels].flatMap(([channelId, { reaction: emoji }]) => {
    if (emoji === undefined) return [];
    const findings = findingsOf('reaction', channelId, id);
    const outside = asking(channelId, findings, `:${emoji}: makes no drafts there`);
    return place(channelId, findings, outside ?? emojiFinding(emoji, names, findings));
  });
  return [
    adminsFinding(access.admins, findingsOf('admins', id)),
    ...[...channels].map(notice),
    ...[...ofFeatures, ...ofWorkflows].map(({ check, name, channelId, outside }) => {
      const findings = findingsOf(check, name, id);
      return place(channelId, findings, asking(channelId, findings, outside));
    }),
    ...ofEmoji,
  ];
}

function adminsFinding(admins: ReadonlySet<string>, { ok }: Findings) {
  if (admins.size > 0) return ok([...admins].join(', '));
  return ok(
    'the admins and owners of the workspace',
    'To name others, set ADMINS, or admins in the file of DOCS_AGENT_CONFIG.',
  );
}
