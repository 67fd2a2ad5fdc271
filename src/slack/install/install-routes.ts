import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OauthV2AccessResponse } from '@slack/web-api';
import { z } from 'zod';
import type { Clock } from '#runtime/clock.ts';
import type { Route } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';
import type { StoredInstallation } from '#store/queries/workspaces.ts';
import type { Store } from '#store/store.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { INSTALL_PATH, OAUTH_REDIRECT_PATH } from '../protocol/ids.ts';
import type { GrantedScopes, Scope } from '../protocol/scopes.ts';
import {
  type FailedWhy,
  installedPage,
  installFailedPage,
  scopesMissingPage,
} from '../views/install-page.ts';
import { classify, createCaller, failureIn, SlackCallError, type SlackClient } from '../workspace/caller.ts';
import { identify } from '../workspace/inspection.ts';
import { type InstalledWorkspaces, requestBody } from './installed-workspaces.ts';
import type { Vault } from './vault.ts';

const AUTHORIZE_URL = 'https://slack.com/oauth/v2/authorize';
const ROTATION =
  'the token expires, since token rotation is on, and would not be renewed: Slack cannot turn it off, so create ' +
  'another app from what `docs-agent manifest --oauth` prints';
/** Anybody can send a made-up code. */
const BAD_CODES = new Set(['invalid_code', 'code_already_used', 'code_expired']);

type InstallParts = Readonly<{
  app: { clientId: string; clientSecret: string; stateSecret: string };
  apiUrl: string | null;
  /** Slack grants what the installation requests, not what the manifest has. */
  scopes: readonly string[];
  /** Must not retry: a code works once. */
  client: SlackClient;
  store: Store;
  vault: Vault;
  workspaces: Pick<InstalledWorkspaces, 'forget'>;
  clock: Clock;
  log: Logger;
  isSetUp: (teamId: string) => boolean;
  /** Returns the missing required scopes. */
  checkScopes: (id: string, granted: GrantedScopes) => readonly Scope[];
  onInstalled: () => void;
}>;

export function installRoutes(parts: InstallParts): Route[] {
  const { app, apiUrl, scopes, clock, log } = parts;
  return [
    {
      path: INSTALL_PATH,
      handle: (_request, response) => {
        const content = `${clock.now()}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
        const state = `${content}.${signature(app.stateSecret, content)}`;
        const url = new URL(apiUrl === null ? AUTHORIZE_URL : new URL('/oauth/v2/authorize', apiUrl));
        const query = { scope: scopes.join(','), state, client_id: app.clientId };
        url.search = new URLSearchParams(query).toString();
        const headers = { 'cache-control': 'no-store', 'set-cookie': cookie(state, LIFE_MS) };
        response.writeHead(302, { ...headers, location: url.href }).end();
      },
    },
    {
      path: OAUTH_REDIRECT_PATH,
      handle: async (request, response) => {
        try {
          const teamId = await finishInstallation(parts, request);
          answer(response, 200, installedPage(teamId, teamId === null || parts.isSetUp(teamId)));
        } catch (error) {
          if (error instanceof InstallRefused) {
            log.info('install_refused', { reason: error.message });
            answer(response, 400, error.page);
          } else {
            log.error('install_failed', { error });
            answer(response, 500, installFailedPage('other'));
          }
        }
      },
    },
  ];
}

/** Anybody can cause this. */
class InstallRefused extends Error {
  readonly page: string;

  constructor(reason: string, page: string) {
    super(reason);
    this.name = 'InstallRefused';
    this.page = page;
  }
}

const refusal = (reason: string, why: FailedWhy) => new InstallRefused(reason, installFailedPage(why));

/** Returns the workspace; null: an organisation. */
async function finishInstallation(parts: InstallParts, request: IncomingMessage) {
  const { app, client, store, clock } = parts;
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const error = query.get('error');
  if (error !== null) throw refusal('not_agreed', error === 'access_denied' ? 'cancelled' : 'stale');
  const code = query.get('code');
  if (!code) throw refusal('no_code', 'stale');
  const nowMs = clock.now();
  const state = query.get('state') ?? '';
  if (!isOwnState(state, request, app.stateSecret, nowMs)) throw refusal('other_state', 'stale');
  const isFirst = await store.transaction((tx) => tx.inboundRequests.remember([`install:${state}`], nowMs));
  if (!isFirst) throw refusal('used_state', 'stale');
  const method = 'oauth.v2.access';
  const exchange = { client_id: app.clientId, client_secret: app.clientSecret, code };
  const given = await client(method, exchange).catch((thrown: unknown) => {
    const failure = classify(thrown);
    throw BAD_CODES.has(failure.code) ? refusal(failure.code, 'stale') : new SlackCallError(method, failure);
  });
  return install(parts, given);
}

async function install(parts: InstallParts, given: OauthV2AccessResponse) {
  const { store, vault, workspaces, clock, log } = parts;
  const { access_token: botToken, expires_in: lifeS, is_enterprise_install, enterprise, team } = given;
  const isOrganisation = is_enterprise_install === true;
  const id = isOrganisation ? enterprise?.id : team?.id;
  if (id === undefined || botToken === undefined) throw new Error('Slack gave no token of a bot');
  if (lifeS !== undefined) throw new Error(ROTATION);
  const { identity, scopes } = await identify(createCaller(parts.client, async () => botToken));
  const missing = parts.checkScopes(id, scopes);
  if (missing.length > 0) throw new InstallRefused('scopes_missing', scopesMissingPage(missing));
  const { botUserId, botId, workspaceUrl } = identity;
  const installation = {
    ...{ id, isOrganisation, enterpriseId: enterprise?.id ?? null, botUserId, botId, workspaceUrl },
    scopes: scopes === null ? (given.scope?.split(',') ?? []) : [...scopes],
    installedAtMs: clock.now(),
    token: vault.seal(id, botToken),
  };
  await store.transaction((tx) => tx.installations.put(installation));
  workspaces.forget(id);
  log.info('installed', { installation_id: id, user_id: given.authed_user?.id });
  parts.onInstalled();
  return team?.id ?? null;
}

/** The page's URL has a code: no caching, no referrer. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

function answer(response: ServerResponse, status: number, page: string) {
  response.writeHead(status, { ...PAGE_HEADERS, 'set-cookie': cookie('', 0) }).end(page);
}

const LIFE_MS = 600_000;
const NONCE_BYTES = 24;
/** The prefix binds it to this host and https: no other host of the domain can set it. */
const COOKIE = '__Host-docs-agent-install';
/** `Lax`: sent on Slack's redirect, but not by other pages' requests. */
const ATTRIBUTES = 'Secure; HttpOnly; SameSite=Lax; Path=/';

function cookie(state: string, lifeMs: number) {
  return `${COOKIE}=${state}; ${ATTRIBUTES}; Max-Age=${lifeMs / 1000}`;
}

function isOwnState(state: string, request: IncomingMessage, secret: string, nowMs: number) {
  if (!(request.headers.cookie ?? '').split(/; */).includes(`${COOKIE}=${state}`)) return false;
  const [madeAt = '', nonce = '', given = ''] = state.split('.');
  const ours = Buffer.from(signature(secret, `${madeAt}.${nonce}`));
  const theirs = Buffer.from(given);
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return false;
  const ageMs = nowMs - Number(madeAt);
  return ageMs >= 0 && ageMs <= LIFE_MS;
}

function signature(secret: string, content: string) {
  return createHmac('sha256', secret).update(`install/${content}`).digest('base64url');
}

const endOfInstallation = requestBody.extend({
  event_time: z.number(),
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('app_uninstalled') }),
    z.object({
      type: z.literal('tokens_revoked'),
      tokens: z.object({ bot: z.array(z.string()).nullish() }).nullish(),
    }),
  ]),
});

type EndParts = Pick<InstallParts, 'store' | 'workspaces' | 'log' | 'client' | 'vault'>;

/** The event may belong to an earlier installation. */
export function whenEnded(parts: EndParts): (body: unknown) => Promise<void> {
  const { store, workspaces, log } = parts;
  return async (body) => {
    const { data } = endOfInstallation.safeParse(body);
    if (data === undefined) return;
    const { event, authorizations, is_enterprise_install: isOwn, team_id, enterprise_id } = data;
    const isOrganisations = authorizations?.[0]?.is_enterprise_install ?? isOwn ?? false;
    const endedId = isOrganisations ? (enterprise_id ?? team_id) : team_id;
    const installation = endedId && (await store.transaction((tx) => tx.installations.get(endedId)));
    if (!installation) return;
    if (event.type === 'tokens_revoked' && !event.tokens?.bot?.includes(installation.botUserId)) return;
    const facts = { installation_id: installation.id, slack_event: event.type };
    if (!(await isOver(parts, installation, data.event_time * 1000))) {
      return log.info('old_end_of_installation', facts);
    }
    await store.transaction((tx) => tx.installations.remove(installation));
    workspaces.forget(installation.id);
    log.info('installation_ended', facts);
  };
}

/** If clock skew hides the order, tests whether the token works. */
async function isOver(
  { client, vault }: EndParts,
  { id, token, installedAtMs }: StoredInstallation,
  atMs: number,
) {
  const laterMs = atMs - installedAtMs;
  if (Math.abs(laterMs) > CLOCK_SKEW_MS) return laterMs > 0;
  try {
    await createCaller(client, async () => vault.open(id, token))('auth.test');
    return false;
  } catch (error) {
    if (failureIn(error).needsAdmin) return true;
    throw error;
  }
}
