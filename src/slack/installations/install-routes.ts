import type { ServerResponse } from 'node:http';
import type { Logger as BoltLogger } from '@slack/bolt';
import { type Installation, type InstallationStore, InstallProvider } from '@slack/oauth';
import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../operations/clock.ts';
import type { Route } from '../../operations/http-server.ts';
import type { Logger } from '../../operations/logger.ts';
import type { Store } from '../../store/store.ts';
import { createCaller } from '../calls/caller.ts';
import { INSTALL_PATH, OAUTH_REDIRECT_PATH } from '../paths.ts';
import { botScopes } from '../scopes.ts';
import { type FailedWhy, installedPage, installFailedPage, installPage } from '../views/install-page.ts';
import { identify } from '../workspaces/identity.ts';
import type { Directory } from './directory.ts';
import type { Client } from './renewal.ts';
import type { Tokens, Vault } from './vault.ts';

const CALL_TIMEOUT_MS = 10_000;

export interface InstallParts {
  readonly app: Client & { readonly stateSecret: string };
  /** Null is Slack's own. */
  readonly apiUrl: string | null;
  readonly client: WebClient;
  readonly store: Store;
  readonly vault: Vault;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: BoltLogger;
  readonly isSetUp: (teamId: string) => boolean;
  /** Called when there is a new installation, or a new token of one. */
  readonly onInstalled: () => void;
}

/** The pages by which workspaces install the app. */
export function installRoutes(parts: InstallParts): Route[] {
  const { app, apiUrl, logger } = parts;
  const provider = new InstallProvider({
    ...app,
    logger,
    clientOptions: {
      ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
      // Who installs waits, and can begin again; a code is good for one use.
      retryConfig: { retries: 0 },
      timeout: CALL_TIMEOUT_MS,
    },
    ...(apiUrl === null ? {} : { authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href }),
    installUrlOptions: { scopes: botScopes.map(({ name }) => name) },
    installationStore: storeOf(parts),
    renderHtmlForInstallPath: installPage,
  });
  return [
    {
      path: INSTALL_PATH,
      handle: (request, response) => {
        protect(response);
        provider.handleInstallPath(request, response).catch(() => fail(response, 'other'));
      },
    },
    {
      path: OAUTH_REDIRECT_PATH,
      handle: (request, response) => {
        protect(response);
        const done = provider.handleCallback(request, response, {
          success: (installation) => {
            const teamId = installation.team?.id ?? null;
            const isSetUp = teamId === null || parts.isSetUp(teamId);
            answer(response, 200, installedPage({ teamId, isSetUp }));
          },
          failure: (error) => fail(response, whyOf(error.code, error.message)),
        });
        done.catch(() => fail(response, 'other'));
      },
    },
  ];
}

/** Keeps what Slack gives out, encrypted. */
function storeOf(parts: InstallParts): InstallationStore {
  const { store, vault, directory, clock, log } = parts;
  return {
    storeInstallation: async (installation) => {
      const id = installation.isEnterpriseInstall ? installation.enterprise?.id : installation.team?.id;
      const tokens = tokensOf(installation as Installation, clock.now());
      if (id === undefined || tokens === null) throw new Error('Slack gave no token of a bot');
      const identity = await identify(createCaller(parts.client, async () => tokens.botToken));
      const facts = {
        id,
        isOrganisation: installation.isEnterpriseInstall === true,
        enterpriseId: installation.enterprise?.id ?? null,
        botUserId: identity.botUserId,
        botId: identity.botId,
        workspaceUrl: identity.workspaceUrl,
        scopes: installation.bot?.scopes ?? [],
        installerId: installation.user.id,
        installedAtMs: clock.now(),
      };
      await store.transaction((tx) => tx.installations.put(facts, vault.seal(id, tokens)));
      directory.forget(id);
      log.info('installed', { installation_id: id, user_id: facts.installerId });
      parts.onInstalled();
    },
    // Workspaces are served by `InstalledWorkspaces`; the provider only writes.
    fetchInstallation: async () => {
      throw new Error('installations are not read here');
    },
  };
}

/** The provider counts by the machine's clock. */
function tokensOf({ bot }: Installation, nowMs: number): Tokens | null {
  if (bot === undefined) return null;
  const { token: botToken, refreshToken = null, expiresAt } = bot;
  const expiresAtMs = expiresAt === undefined ? null : nowMs + expiresAt * 1000 - Date.now();
  return { botToken, refreshToken, expiresAtMs };
}

/** Their messages are for developers. */
function whyOf(code: string, message: string): FailedWhy {
  if (code === 'slack_oauth_missing_state') return 'elsewhere';
  if (code === 'slack_oauth_invalid_state') return 'stale';
  return message.includes('cancelled') ? 'cancelled' : 'other';
}

function fail(response: ServerResponse, why: FailedWhy): void {
  answer(response, why === 'other' ? 500 : 400, installFailedPage(why));
}

function answer(response: ServerResponse, status: number, page: string): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** The address of the second page holds a code: it goes nowhere, and is kept nowhere. */
function protect(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  response.setHeader('x-content-type-options', 'nosniff');
}
