import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../src/runtime/clock.ts';
import { decodeCall, type SlackCall } from './fault-proxy/call.ts';
import { readAll } from './fault-proxy/forward.ts';
import { signedHeaders } from './slack-requests.ts';
import { TokenOffice } from './slack-teams/token-office.ts';
import { ApiError } from './strict-slack/api-error.ts';
import { newId, strictApp } from './strict-slack/ids.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';

const clientId = '12.34';
const clientSecret = 'client-secret';

export interface TeamsCall extends SlackCall {
  /** Of which workspace the token is; null: it is not a good one. */
  readonly teamId: string | null;
}

export interface SlackTeamsOptions {
  readonly clock: Clock;
  readonly teams: readonly string[];
  /** Of the bot, or of its replicas, which are taken in turn. */
  readonly botUrls: readonly string[];
  /** Socket Mode has one workspace, `strictApp.teamId`. Default: http */
  readonly mode?: 'socket' | 'http';
  /** The app is installed in the organisation, and serves this workspace of it. */
  readonly organisation?: { readonly id: string; readonly teamId: string };
}

/**
 * Several workspaces of one app. Each is a strict Slack of its own with the same people, channels and bot; they
 * differ in their ids (T…) and tokens.
 */
export async function startSlackTeams(options: SlackTeamsOptions) {
  const { clock, botUrls, organisation } = options;
  const resources = new AsyncDisposableStack();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy();
      failures.push(error);
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  resources.defer(() => {
    server.close();
    server.closeAllConnections();
    if (failures.length > 0) throw new AggregateError(failures, 'the Slack of many teams failed');
  });
  const failures: unknown[] = [];
  const calls: TeamsCall[] = [];
  const tokens = new TokenOffice();
  const tenants = new Map<string, StrictSlack>();
  let onExchange: () => 'lost' | 'refuse' | 'expires' | null = () => null;
  let turn = 0;
  for (const id of options.teams) {
    const events = { mode: 'events', requestUrls: [`${url}/deliver/${id}`] } as const;
    const app = options.mode === 'socket' ? ({ mode: 'socket' } as const) : events;
    tenants.set(id, resources.use(await startStrictSlack({ clock, app, ownerId: id })));
  }
  const team = (id: string) => {
    const tenant = tenants.get(id);
    if (tenant === undefined) throw new Error(`there is no workspace ${id}`);
    return tenant;
  };
  const toBot = (body: string, headers: IncomingMessage['headers']) => {
    turn += 1;
    const url = `${botUrls[turn % botUrls.length]}/slack/events`;
    return fetch(url, { method: 'POST', body, headers: signedAgain(headers, body) });
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, name = ''] = /^\/(api|deliver)\/([^?]+)/.exec(request.url ?? '') ?? [];
    const body = await readAll(request);
    if (kind === 'deliver') {
      const answer = await toBot(outward(body.toString(), name), request.headers).catch(() => null);
      if (answer === null) return void response.destroy();
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
      });
      response.end(await answer.text());
      return;
    }
    const call = decodeCall(name, request.headers, body);
    try {
      await (name === 'oauth.v2.access' ? exchange(call, response) : carryOut(call, request, body, response));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      json(response, { ok: false, error: error.code });
    }
  }

  function exchange(call: SlackCall, response: ServerResponse): void {
    calls.push({ ...call, teamId: null });
    const { client_id, client_secret, code } = call.args;
    if (client_id !== clientId) throw new ApiError('invalid_client_id');
    if (client_secret !== clientSecret) throw new ApiError('bad_client_secret');
    const fate = onExchange();
    if (fate === 'refuse') throw new ApiError('service_unavailable');
    const { owner, accessToken } = tokens.exchangeCode(String(code));
    if (fate === 'lost') return void response.destroy();
    const isOrganisation = owner === organisation?.id;
    json(response, {
      ok: true,
      app_id: strictApp.appId,
      authed_user: { id: 'U0ALICE' },
      scope: 'commands,chat:write',
      token_type: 'bot',
      bot_user_id: strictApp.botUserId,
      team: isOrganisation ? null : { id: owner, name: owner },
      enterprise: isOrganisation ? { id: owner, name: owner } : null,
      is_enterprise_install: isOrganisation,
      access_token: accessToken,
      ...(fate === 'expires' ? { refresh_token: 'xoxe-1', expires_in: 43_200 } : {}),
    });
  }

  async function carryOut(
    call: SlackCall,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const isApps = call.token === strictApp.appToken;
    let owner: string | null = null;
    try {
      owner = isApps ? strictApp.teamId : tokens.ownerOf(call.token ?? '');
    } finally {
      calls.push({ ...call, teamId: owner });
    }
    const isOrganisations = owner === organisation?.id;
    if (isOrganisations && call.method === 'usergroups.users.list' && call.args.team_id === undefined) {
      throw new ApiError('missing_argument');
    }
    const id = isOrganisations ? organisation.teamId : owner;
    const tenant = team(id);
    const answer = await fetch(tenant.apiUrl + call.method, {
      method: 'POST',
      headers: {
        'content-type': String(request.headers['content-type']),
        'user-agent': String(request.headers['user-agent']),
        authorization: `Bearer ${isApps ? strictApp.appToken : tenant.botToken}`,
      },
      body: inward(body.toString(), id),
    });
    const headers = ['content-type', 'date', 'x-oauth-scopes'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(answer.status, Object.fromEntries(headers));
    response.end(outward(await answer.text(), id));
  }

  /** Of an organisation's installation, Slack says so in all that it sends. */
  function outward(text: string, id: string): string {
    const named = text.replaceAll(strictApp.teamId, id);
    return id === organisation?.teamId ? asOrganisations(named, organisation.id) : named;
  }

  const event = async (outer: Readonly<Record<string, unknown>>) => {
    const payload = {
      type: 'event_callback',
      api_app_id: strictApp.appId,
      event_id: newId('Ev'),
      event_time: Math.floor(clock.now() / 1000),
      ...outer,
    };
    return (await toBot(JSON.stringify(payload), { 'content-type': 'application/json' })).status;
  };
  return {
    apiUrl: `${url}/api/`,
    tokens,
    team,
    calls: (method?: string) => calls.filter((call) => method === undefined || call.method === method),
    /** Asked before a code is exchanged. `lost`: it happens, but the answer does not arrive; `expires`: its token does. */
    onExchange: (decide: typeof onExchange) => {
      onExchange = decide;
    },
    /** Sends an event as Slack would. Resolves to the status of the answer. */
    event,
    /** An administrator removes the app. */
    uninstall: async (teamId: string) => {
      tokens.revoke(teamId);
      const { botUserId } = strictApp;
      const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: [botUserId] } };
      await event({ team_id: teamId, event: { type: 'app_uninstalled' } });
      await event({ team_id: teamId, event: revoked });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The headers that the bot needs, with the signature of what it gets. */
function signedAgain(headers: IncomingHttpHeaders, body: string): Record<string, string> {
  const { 'content-type': contentType = '' } = headers;
  const retries = Object.entries(headers).filter(([name]) => name.startsWith('x-slack-retry-'));
  return {
    ...Object.fromEntries(retries.map(([name, value]) => [name, String(value)])),
    ...signedHeaders({ contentType, body }, strictApp.signingSecret),
  };
}

function inward(text: string, id: string): string {
  return text.replaceAll(id, strictApp.teamId);
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function asOrganisations(text: string, enterpriseId: string): string {
  if (text.startsWith('payload=')) {
    const payload = JSON.parse(new URLSearchParams(text).get('payload') ?? '');
    const { team, user } = payload;
    const own = {
      team: payload.type === 'view_submission' ? null : { ...team, enterprise_id: enterpriseId },
      user: payload.type === 'view_submission' ? user : { ...user, team_id: enterpriseId },
      enterprise: { id: enterpriseId },
      is_enterprise_install: true,
    };
    return String(new URLSearchParams({ payload: JSON.stringify({ ...payload, ...own }) }));
  }
  return text
    .replaceAll('"enterprise_id":null', `"enterprise_id":"${enterpriseId}"`)
    .replaceAll('"is_enterprise_install":false', '"is_enterprise_install":true')
    .replaceAll('is_enterprise_install=false', `is_enterprise_install=true&enterprise_id=${enterpriseId}`);
}
