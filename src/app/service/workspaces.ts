import type { Logger as BoltLogger } from '@slack/bolt';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Route } from '../../engine/runtime/http-server.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import { hasMarks } from '../../jobs/policy.ts';
import { botTokens } from '../../slack/install/bot-tokens.ts';
import { createDirectory } from '../../slack/install/directory.ts';
import { whenEnded } from '../../slack/install/ended.ts';
import { installRoutes } from '../../slack/install/install-routes.ts';
import { installedWorkspaces } from '../../slack/install/installed-workspaces.ts';
import { readableTokens, unreadableTokens } from '../../slack/install/reseal.ts';
import { Vault } from '../../slack/install/vault.ts';
import { botScopes, reactionScopes } from '../../slack/protocol/scopes.ts';
import { createCaller } from '../../slack/workspace/web-api/caller.ts';
import { PostingClient } from '../../slack/workspace/web-api/http.ts';
import { oneWorkspace, type SignedInAs, type Workspaces } from '../../slack/workspace/workspace.ts';
import type { Store } from '../../store/store.ts';
import type { Config, Installing } from '../config/config.ts';
import { settingsOf } from './context.ts';
import { explainSlack, StartError } from './explain.ts';

const MEND_TOKEN = 'Correct TOKEN_ENCRYPTION_KEY, or install the app in that workspace again.';

export interface WorkspacesParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: BoltLogger;
  /** Called when a workspace has installed the app. */
  readonly onInstalled: () => void;
}

export interface Served {
  readonly workspaces: Workspaces;
  /** Takes an event that says that an installation, or its token, has ended. */
  readonly onEnded: (body: unknown) => Promise<void>;
  /** The pages by which workspaces install the app. */
  readonly routes: readonly Route[];
  /** The id of the only workspace, or null. */
  readonly teamId: string | null;
  /** In the only workspace, or null. */
  readonly signedInAs: SignedInAs | null;
}

/** The workspaces that the settings describe. Throws StartError. */
export async function serveWorkspaces(config: Config, parts: WorkspacesParts): Promise<Served> {
  const { installing } = config.slack;
  return installing.kind === 'by_hand'
    ? serveOne(config, installing.botToken, parts)
    : serveMany(config, installing, parts);
}

async function serveOne(
  config: Config,
  botToken: string,
  { clock, log, logger }: WorkspacesParts,
): Promise<Served> {
  const { apiUrl } = config.slack;
  const client = new PostingClient(apiUrl, logger);
  const workspaces = await oneWorkspace({ client, apiUrl, clock, log }, botToken, config).catch((error) =>
    explainSlack(error, 'SLACK_BOT_TOKEN'),
  );
  const { only, signedInAs } = workspaces;
  return { workspaces, onEnded: async () => {}, routes: [], teamId: only.teamId, signedInAs };
}

async function serveMany(
  config: Config,
  app: Extract<Installing, { kind: 'oauth' }>,
  { store, clock, log, logger, onInstalled }: WorkspacesParts,
): Promise<Served> {
  const { apiUrl } = config.slack;
  const vault = new Vault(app.encryptionKeys);
  await checkTokens(store, vault, log);
  const client = new PostingClient(apiUrl, logger);
  const directory = createDirectory(store, clock);
  const common = { store, clock, log, client, vault, directory, app };
  const tokenOf = botTokens(common, directory);
  const isSetUp = (teamId: string) => config.workspaces.has(teamId);
  // Who installs the app is known only afterwards.
  const needed = [...config.workspaces.values()].some(hasMarks)
    ? [...botScopes, ...reactionScopes]
    : botScopes;
  const scopes = needed.map(({ name }) => name);
  return {
    workspaces: installedWorkspaces({ client, apiUrl, clock, log }, directory, tokenOf, (teamId) =>
      settingsOf(config, teamId),
    ),
    onEnded: whenEnded({
      ...common,
      callerOf: ({ id, tokens: sealed }) => createCaller(client, async () => vault.open(id, sealed).botToken),
    }),
    routes: installRoutes({ ...common, apiUrl, scopes, isSetUp, onInstalled }),
    teamId: null,
    signedInAs: null,
  };
}

/** An unreadable token keeps only its own workspace waiting. If none can be read, the key is wrong. */
async function checkTokens(store: Store, vault: Vault, log: Logger): Promise<void> {
  const { readable, unreadable } = await readableTokens(store, vault);
  if (unreadable.length > 0 && readable === 0) throw new StartError(unreadableTokens(unreadable));
  for (const { id, keyId, why } of unreadable) {
    log.error('token_not_readable', {
      installation_id: id,
      key_id: keyId,
      reason: why,
      what_to_do: MEND_TOKEN,
    });
  }
}
