import type { Logger as BoltLogger } from '@slack/bolt';
import { hasMarks } from '#jobs/policy.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import { installRoutes, whenEnded } from '#slack/install/install-routes.ts';
import { installedWorkspaces } from '#slack/install/installed-workspaces.ts';
import { readTokens, unreadableTokens, Vault } from '#slack/install/vault.ts';
import {
  botScopes,
  type GrantedScopes,
  howToGrant,
  missingScopes,
  reactionScopes,
  type Scope,
  scopesInWords,
} from '#slack/protocol/scopes.ts';
import { classify, failureIn, slackClient } from '#slack/workspace/caller.ts';
import { oneWorkspace } from '#slack/workspace/workspace.ts';
import { codeOf } from '#store/engines/database.ts';
import type { Store } from '#store/store.ts';
import { type Config, type WorkspaceSettings, workspaceIn } from '../config/config.ts';
import { scopesOfFeatures } from '../features.ts';

type Parts = Readonly<{
  store: Store;
  clock: Clock;
  log: Logger;
  logger: BoltLogger;
  onInstalled: () => void;
}>;

export async function serveWorkspaces(config: Config, { store, clock, log, logger, onInstalled }: Parts) {
  const { installing: app, apiUrl } = config.slack;
  const shared = { client: slackClient(apiUrl, logger), apiUrl, clock, log };
  if (app.kind === 'by_hand') {
    const { only, workspaces, signedInAs, scopes } = await oneWorkspace(shared, app.botToken, config).catch(
      (error) => explainSlack(error, 'SLACK_BOT_TOKEN'),
    );
    const required = checkScopes(log, config, only.teamId, scopes, config);
    if (required.length > 0) {
      throw new StartError(
        `The Slack app lacks permissions: ${scopesInWords(required)}. ${howToGrant(required)}`,
      );
    }
    return { workspaces, onEnded: async () => {}, routes: [], teamIds: [only.teamId], signedInAs };
  }
  const vault = new Vault(app.encryptionKeys);
  await checkInstallations(store, vault, config, log);
  const workspaces = installedWorkspaces({ ...shared, store }, vault, (teamId) =>
    workspaceIn(config, teamId),
  );
  const parts = { ...shared, store, vault, workspaces, app };
  // For workspaces that haven't installed the app yet.
  const settings = [...config.workspaces.values()];
  const ofReactions = settings.some(hasMarks) ? reactionScopes : [];
  return {
    workspaces,
    onEnded: whenEnded(parts),
    routes: installRoutes({
      ...parts,
      scopes: [...botScopes, ...ofReactions, ...scopesOfFeatures(config, settings)].map(({ name }) => name),
      isSetUp: (teamId) => config.workspaces.has(teamId),
      onInstalled,
      checkScopes: (id, granted) => checkScopes(log, config, id, granted, workspaceIn(config, id)),
    }),
    teamIds: [...config.workspaces.keys()],
    signedInAs: null,
  };
}

/** Returns missing scopes that are required. @param settings null: not set up, or an organisation */
function checkScopes(
  log: Logger,
  config: Config,
  id: string,
  granted: GrantedScopes,
  settings: Pick<WorkspaceSettings, 'access' | 'channels' | 'featureSettings'> | null,
): readonly Scope[] {
  const given = settings === null ? [] : [settings];
  const missing = missingScopes(granted, given, scopesOfFeatures(config, given));
  for (const scope of missing) {
    const facts = { installation_id: id, scope: scope.name, reason: scope.without };
    log[scope.isOptional ? 'warn' : 'error']('scope_missing', { ...facts, what_to_do: howToGrant([scope]) });
  }
  return missing.filter(({ isOptional }) => !isOptional);
}

/** If no token is readable, the key is wrong. */
async function checkInstallations(store: Store, vault: Vault, config: Config, log: Logger) {
  const { installations, unreadable } = await readTokens(store, vault);
  if (unreadable.length > 0 && unreadable.length === installations.length) {
    throw new StartError(unreadableTokens(unreadable));
  }
  for (const { id, keyId, why } of unreadable) {
    log.error('token_not_readable', {
      installation_id: id,
      key_id: keyId,
      reason: why,
      what_to_do: 'Correct TOKEN_ENCRYPTION_KEY, or install the app in that workspace again.',
    });
  }
  for (const { id, scopes } of installations) {
    const granted = scopes.length === 0 ? null : new Set(scopes);
    checkScopes(log, config, id, granted, config.workspaces.get(id) ?? null);
  }
}

function explainSlack(
  error: unknown,
  variable: string,
  { code, needsAdmin, outcome } = failureIn(error),
): never {
  throw new StartError(
    needsAdmin
      ? `Slack refuses the token (${code}). Check ${variable}: it must belong to an installed app.`
      : `Slack gave an unexpected answer (${code}). Check the network, and SLACK_API_URL if it is set.`,
    error,
    !needsAdmin && outcome !== 'refused',
  );
}

const CANNOT_LISTEN = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

export function explainListening(error: unknown, host: string, port: number, variable: string): void {
  const code = codeOf(error) ?? '';
  if (code === 'EADDRINUSE') {
    throw new StartError(
      `Port ${port} on ${host} is in use. Stop what uses it, or set ${variable} to another.`,
      error,
      true,
    );
  }
  if (CANNOT_LISTEN.has(code)) {
    throw new StartError(
      `Cannot listen on ${host}:${port} (${code}). Set HOST and ${variable} to what is allowed.`,
      error,
    );
  }
}

export function explainConnection(error: unknown, { http: { host, port } }: Config): never {
  explainListening(error, host, port, 'PORT');
  return explainSlack(error, 'SLACK_APP_TOKEN', classify(error));
}

export class StartError extends Error {
  override readonly name = 'StartError';
  readonly isTemporary: boolean;

  constructor(message: string, cause?: unknown, isTemporary = false) {
    super(message, { cause });
    this.isTemporary = isTemporary;
  }
}
