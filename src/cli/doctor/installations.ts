import type { Config } from '../../app/config/config.ts';
import type { Installing } from '../../app/config/installing.ts';
import { Vault, VaultError } from '../../slack/install/vault.ts';
import { INSTALL_PATH } from '../../slack/protocol/paths.ts';
import type { StoreFacts } from '../../store/inspect/facts.ts';
import type { StoredInstallation } from '../../store/queries/installations.ts';
import { type Finding, findingsOf } from './finding.ts';
import type { Examinee } from './workspace.ts';

const INSTALL = `Install the app there: https://<your address>${INSTALL_PATH}.`;

/** Where the app is installed by OAuth: what can be looked at in Slack, and what is wrong before that. */
export function installed(
  config: Config,
  app: Extract<Installing, { kind: 'oauth' }>,
  { installations, organisations }: Pick<StoreFacts, 'installations' | 'organisations'>,
  nowMs: number,
): { readonly examinees: readonly Examinee[]; readonly findings: readonly Finding[] } {
  const vault = new Vault(app.encryptionKeys);
  const examinees: Examinee[] = [];
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
    if (settings === undefined && !isOrganisation) findings.push(notSetUp(id));
    const token = tokenOf(vault, installation, nowMs);
    const own = settings === undefined ? [] : [{ id, settings }];
    const settingsOf = [...own, ...served.filter(({ by }) => by === id)];
    if (typeof token === 'string') examinees.push({ id, token, howToRenew: INSTALL, settingsOf });
    else findings.push(token);
  }
  return { examinees, findings };
}

/** Whether a workspace is one of an organisation is known only when the app was used there. */
function notInstalled(id: string, hasOrganisation: boolean): Finding {
  const findings = findingsOf('slack_token', id);
  return hasOrganisation
    ? findings.warning(
        'the app is not installed, or was never used there: its notice channels and user groups were not looked at',
        `If its organisation has the app, use the app there once, and run doctor again. ${INSTALL}`,
      )
    : findings.warning('the app is not installed', INSTALL);
}

function notSetUp(id: string): Finding {
  return findingsOf('settings', id).warning(
    'the app is installed, but nothing is set for this workspace: its people are refused',
    'List it under workspaces in the file of DOCS_AGENT_CONFIG, or remove the app there.',
  );
}

/** The token, or why there is none that could be tried. */
function tokenOf(vault: Vault, installation: StoredInstallation, nowMs: number): string | Finding {
  const { id, tokens, renewalProblem } = installation;
  const findings = findingsOf('slack_token', id);
  if (renewalProblem !== null) {
    return findings.error(`its token cannot be renewed any more (${renewalProblem})`, INSTALL);
  }
  if (tokens.expiresAtMs !== null && tokens.expiresAtMs <= nowMs) {
    return findings.ok('its token has expired, and is renewed when it is needed next');
  }
  try {
    return vault.open(id, tokens).botToken;
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return findings.error(`its token cannot be read: ${error.message}`, 'Correct TOKEN_ENCRYPTION_KEY.');
  }
}
