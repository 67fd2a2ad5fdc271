import type { Config, Installing } from '../../../app/config/config.ts';
import type { WorkspaceSettings } from '../../../app/config/projects.ts';
import { Vault, VaultError } from '../../../slack/install/vault.ts';
import { INSTALL_PATH } from '../../../slack/protocol/ids.ts';
import type { NoticeFacts, StoreFacts } from '../../../store/inspect/facts.ts';
import type { StoredInstallation } from '../../../store/queries/workspaces/installations.ts';
import { type Finding, findingsOf, type Given } from './finding.ts';
import { placeFindings } from './places.ts';
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

function installationsOf({ config }: Given, store: StoreFacts | null): InstallationsFound {
  const { installing } = config.slack;
  if (installing.kind === 'by_hand') {
    const settingsOf = [{ id: null, settings: config }];
    const only = { id: null, token: installing.botToken, howToRenew: RENEW_BOT_TOKEN, settingsOf };
    return { installed: [only], findings: [] };
  }
  // Without the store, nothing is known about them.
  return store === null ? { installed: [], findings: [] } : installedByOauth(config, installing, store);
}

interface InstallationsFound {
  readonly installed: readonly Installed[];
  readonly findings: readonly Finding[];
}

/** Where the app is installed by OAuth, and problems found before Slack is asked. */
function installedByOauth(
  config: Config,
  app: Extract<Installing, { kind: 'oauth' }>,
  { installations, organisations }: StoreFacts,
): InstallationsFound {
  const vault = new Vault(app.encryptionKeys);
  const installed: Installed[] = [];
  const without = [...config.workspaces].filter(([id]) => !installations.some((one) => one.id === id));
  const served = without.flatMap(([id, settings]) => {
    const organisation = installations.find((one) => one.isOrganisation && one.id === organisations.get(id));
    return organisation === undefined ? [] : [{ id, settings, by: organisation.id }];
  });
  const hasOrganisation = installations.some(({ isOrganisation }) => isOrganisation);
  const findings = without
    .filter(([id]) => !served.some((one) => one.id === id))
    .map(([id]) => notInstalled(id, hasOrganisation));
  for (const installation of installations) {
    const { id, isOrganisation } = installation;
    const settings = config.workspaces.get(id);
    if (settings === undefined && !isOrganisation) {
      findings.push(
        findingsOf('settings', id).warning(
          'the app is installed, but the settings do not name this workspace: its people are refused',
          'List it under workspaces in the file of DOCS_AGENT_CONFIG, or remove the app there.',
        ),
      );
    }
    const token = tokenOf(vault, installation);
    const own = settings === undefined ? [] : [{ id, settings }];
    const settingsOf = [...own, ...served.filter(({ by }) => by === id)];
    if (typeof token === 'string') installed.push({ id, token, howToRenew: INSTALL, settingsOf });
    else findings.push(token);
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

/** The token, or why there is none that could be tried. */
function tokenOf(vault: Vault, { id, token }: StoredInstallation): string | Finding {
  try {
    return vault.open(id, token);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return findingsOf('slack_token', id).error(
      `its token cannot be read: ${error.message}`,
      'Correct TOKEN_ENCRYPTION_KEY.',
    );
  }
}

async function tokenAndPlaces(asked: Asked['asked'][number], notices: NoticeFacts): Promise<Finding[]> {
  const { id, answer, howToRenew, settingsOf, inspection } = asked;
  const findings = findingsOf('slack_token', id);
  // Without a token that Slack accepts, nothing else can be checked.
  if ('error' in answer) {
    return [
      slackFailure(
        findings,
        (code) => findings.error(`Slack refuses the token (${code})`, howToRenew),
        howToRenew,
      )(answer.error),
    ];
  }
  const { workspace, teamId, botName, scopes } = answer;
  const userGroups = settingsOf.some(({ settings }) => settings.access.userGroups.size > 0);
  const marking = settingsOf.flatMap(({ id: own, settings }) => markingIn(own, settings));
  const places = settingsOf.flatMap(({ id: own, settings }) =>
    placeFindings({
      inspection,
      id: own,
      isOrganisation: own !== id,
      settings,
      notices,
      teamId: own ?? teamId,
    }),
  );
  return [
    findings.ok(`@${botName} in ${workspace} (${teamId})`),
    scopesFinding(id, scopes, { userGroups, reactions: marking.length > 0 }),
    ...(await Promise.all(places)),
    ...(await emojiFindings(inspection, scopes, marking)),
  ];
}
