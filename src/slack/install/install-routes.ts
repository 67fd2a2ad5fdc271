import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OauthV2AccessResponse, WebClient } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Route } from '../../engine/runtime/http-server.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import type { Store } from '../../store/store.ts';
import { INSTALL_PATH, OAUTH_REDIRECT_PATH } from '../protocol/ids.ts';
import type { GrantedScopes, Scope } from '../protocol/scopes.ts';
import {
  type FailedWhy,
  installedPage,
  installFailedPage,
  installPage,
  scopesMissingPage,
} from '../views/install-page.ts';
import { createCaller } from '../workspace/web-api/caller.ts';
import { classify, SlackCallError } from '../workspace/web-api/failure.ts';
import { identify } from '../workspace/workspace.ts';
import type { Directory } from './request-team.ts';
import type { Vault } from './vault.ts';

const AUTHORIZE_URL = 'https://slack.com/oauth/v2/authorize';
const ROTATION =
  'the token expires, since token rotation is on, and would not be renewed: Slack cannot turn it off, so create ' +
  'another app from what `docs-agent manifest --oauth` prints';
/** Anybody can send a made-up code. */
const BAD_CODES = new Set(['invalid_code', 'code_already_used', 'code_expired']);

export interface InstallParts {
  readonly app: { readonly clientId: string; readonly clientSecret: string; readonly stateSecret: string };
  readonly apiUrl: string | null;
  /** Slack grants those that the page asks for, whatever else the manifest has. */
  readonly scopes: readonly string[];
  /** Must not retry by itself: a code works once. */
  readonly client: WebClient;
  readonly store: Store;
  readonly vault: Vault;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly isSetUp: (teamId: string) => boolean;
  /** Returns the missing scopes that the program cannot work without. */
  readonly checkScopes: (id: string, granted: GrantedScopes) => readonly Scope[];
  /** Called after a new installation, or a new token. */
  readonly onInstalled: () => void;
}

export function installRoutes(parts: InstallParts): Route[] {
  return [
    {
      path: INSTALL_PATH,
      handle: (_request, response) => {
        protect(response);
        const { app, apiUrl, scopes, clock } = parts;
        const content = `${clock.now()}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
        // It goes to Slack's page and must come back once, in the same browser.
        const state = `${content}.${signature(app.stateSecret, content)}`;
        setCookie(response, state, LIFE_MS);
        const url = new URL(apiUrl === null ? AUTHORIZE_URL : new URL('/oauth/v2/authorize', apiUrl));
        url.searchParams.set('scope', scopes.join(','));
        url.searchParams.set('state', state);
        url.searchParams.set('client_id', app.clientId);
        answer(response, 200, installPage(url.href));
      },
    },
    {
      path: OAUTH_REDIRECT_PATH,
      handle: (request, response) => {
        protect(response);
        setCookie(response, '', 0);
        comeBack(parts, request).then(
          (teamId) => {
            const isSetUp = teamId === null || parts.isSetUp(teamId);
            answer(response, 200, installedPage({ teamId, isSetUp }));
          },
          (error: unknown) => {
            if (error instanceof InstallRefused) {
              parts.log.info('install_refused', { reason: error.message });
              answer(response, 400, error.page);
            } else {
              parts.log.error('install_failed', { error });
              answer(response, 500, installFailedPage('other'));
            }
          },
        );
      },
    },
  ];
}

/** Anybody can cause this, so it is no error of the program. Nothing is stored. */
class InstallRefused extends Error {
  readonly page: string;

  constructor(reason: string, page: string) {
    super(reason);
    this.name = 'InstallRefused';
    this.page = page;
  }
}

function refusal(reason: string, why: FailedWhy): InstallRefused {
  return new InstallRefused(reason, installFailedPage(why));
}

/** Slack redirects the browser back. Returns the workspace of the installation; null: an organisation. */
async function comeBack(parts: InstallParts, request: IncomingMessage): Promise<string | null> {
  const { app, store, clock } = parts;
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const error = query.get('error');
  if (error !== null) {
    throw refusal('not_agreed', error === 'access_denied' ? 'cancelled' : 'stale');
  }
  const [code, state] = [query.get('code'), query.get('state')];
  if (!code) throw refusal('no_code', 'stale');
  if (!state) throw refusal('no_state', 'elsewhere');
  const nowMs = clock.now();
  if (!isOwnState(state, request, app.stateSecret, nowMs)) throw refusal('other_state', 'stale');
  const isFirst = await store.transaction((tx) => tx.inboundRequests.remember([`install:${state}`], nowMs));
  if (!isFirst) throw refusal('used_state', 'stale');
  return install(parts, await exchange(parts, code));
}

async function exchange({ client, app }: InstallParts, code: string): Promise<OauthV2AccessResponse> {
  const { clientId: client_id, clientSecret: client_secret } = app;
  try {
    const request = { client_id, client_secret, code };
    return (await client.apiCall('oauth.v2.access', request)) as OauthV2AccessResponse;
  } catch (error) {
    const failure = classify(error);
    if (BAD_CODES.has(failure.code)) throw refusal(failure.code, 'stale');
    throw new SlackCallError('oauth.v2.access', failure, null);
  }
}

async function install(parts: InstallParts, given: OauthV2AccessResponse): Promise<string | null> {
  const { store, vault, directory, clock, log } = parts;
  const { access_token: botToken, expires_in: lifeS } = given;
  const isOrganisation = given.is_enterprise_install === true;
  const id = isOrganisation ? given.enterprise?.id : given.team?.id;
  if (id === undefined || botToken === undefined) throw new Error('Slack gave no token of a bot');
  if (lifeS !== undefined) throw new Error(ROTATION);
  const { identity, scopes } = await identify(createCaller(parts.client, async () => botToken));
  const missing = parts.checkScopes(id, scopes);
  // Such an installation is useless.
  if (missing.length > 0) throw new InstallRefused('scopes_missing', scopesMissingPage(missing));
  const nowMs = clock.now();
  const facts = {
    id,
    isOrganisation,
    enterpriseId: given.enterprise?.id ?? null,
    botUserId: identity.botUserId,
    botId: identity.botId,
    workspaceUrl: identity.workspaceUrl,
    scopes: scopes === null ? (given.scope?.split(',') ?? []) : [...scopes],
    installerId: given.authed_user?.id ?? '',
    installedAtMs: nowMs,
  };
  await store.transaction((tx) => tx.installations.put(facts, vault.seal(id, botToken)));
  directory.forget(id);
  log.info('installed', { installation_id: id, user_id: facts.installerId });
  parts.onInstalled();
  return given.team?.id ?? null;
}

function answer(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** The second page's URL holds a code: it must not be cached, nor sent elsewhere as a referrer. */
function protect(response: ServerResponse): void {
  response.setHeaders(
    new Map([
      ['cache-control', 'no-store'],
      ['referrer-policy', 'no-referrer'],
      ['content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"],
      ['x-content-type-options', 'nosniff'],
    ]),
  );
}

const LIFE_MS = 600_000;
const NONCE_BYTES = 24;
/** The prefix binds it to this host and to https: no other host of the domain can set it. */
const COOKIE = '__Host-docs-agent-install';
/** `Lax`: sent along when Slack redirects back, but not with requests from other pages. */
const ATTRIBUTES = 'Secure; HttpOnly; SameSite=Lax; Path=/';

function setCookie(response: ServerResponse, state: string, lifeMs: number): void {
  response.setHeader('set-cookie', `${COOKIE}=${state}; ${ATTRIBUTES}; Max-Age=${lifeMs / 1000}`);
}

/** Whether we made the state for this browser recently. The store knows whether it was used. */
function isOwnState(state: string, request: IncomingMessage, secret: string, nowMs: number): boolean {
  if (!(request.headers.cookie ?? '').split(/; */).includes(`${COOKIE}=${state}`)) return false;
  const [madeAt = '', nonce = '', given = ''] = state.split('.');
  const ours = Buffer.from(signature(secret, `${madeAt}.${nonce}`));
  const theirs = Buffer.from(given);
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return false;
  const ageMs = nowMs - Number(madeAt);
  return ageMs >= 0 && ageMs <= LIFE_MS;
}

function signature(secret: string, content: string): string {
  return createHmac('sha256', secret).update(`install/${content}`).digest('base64url');
}
