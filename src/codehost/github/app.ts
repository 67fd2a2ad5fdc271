import type { KeyObject } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { request } from '@octokit/request';
import { fetch, Response } from 'undici';
import { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import { parseJson } from '../../engine/runtime/exchange.ts';
import {
  type Authorization,
  bearer,
  type Credentials,
  decodeAnswer,
  type HostClient,
  laterError,
  refusal,
  UnreadableError,
} from '../client/host-client.ts';
import { id } from '../decode.ts';

/** For each repository, the token of its installation. Throws only UnreadableError. */
export interface GithubApp extends Credentials {
  asApp(): Promise<Authorization>;
  asInstallation(installationId: number): Promise<Authorization>;
}

/** Where an installation's tokens are made: the only request that is no GET. */
const TOKENS_PATH = /^\/app\/installations\/\d+\/access_tokens$/;
/** Where an App is installed rarely changes. */
const INSTALLATION_KNOWN_MS = 60 * 60_000;

const installation = z.object({ id });
const madeToken = z.object({ token: z.string().regex(/^[\x21-\x7e]{1,4000}$/), expires_at: z.string() });

type AppOptions = Readonly<{
  appId: string;
  privateKey: KeyObject;
  apiUrl: string;
  client: HostClient;
  clock: Clock;
  timeoutMs: number;
}>;

/** The package requests tokens and caches them; where it may ask, and for how long, is decided here. */
export function githubApp({ appId, privateKey, apiUrl, client, clock, timeoutMs }: AppOptions): GithubApp {
  const boundedFetch: typeof fetch = (input, init) =>
    clock.abortAfter(timeoutMs, async (signal) => {
      const path = String(input).startsWith(apiUrl) ? String(input).slice(apiUrl.length) : '';
      if (!TOKENS_PATH.test(path)) throw new TypeError('no such request is made of a code host');
      const limits = { signal, redirect: 'error', dispatcher: client.dispatcher } as const;
      const response = await fetch(input, { ...init, ...limits });
      const { status, headers } = response;
      const body = await response.text();
      // The package would keep anything for an hour.
      if (response.ok && !madeToken.safeParse(parseJson(body)).success) throw new TypeError('not a token');
      return new Response(body, { status, headers: [...headers] });
    });
  const auth = createAppAuth({
    appId,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: request.defaults({
      baseUrl: apiUrl,
      headers: { 'user-agent': 'docs-agent' },
      request: { fetch: boundedFetch },
    }),
  });
  const known = new Map<string, { readonly id: number; readonly untilMs: number }>();
  const rejected = new Set<string>();

  async function asApp(): Promise<Authorization> {
    const { token } = await auth({ type: 'app' });
    return { headers: bearer(token), account: 'app' };
  }

  /** @param isFresh the last token is no longer accepted */
  async function asInstallation(installationId: number, isFresh = false): Promise<Authorization> {
    try {
      const { token } = await auth({ type: 'installation', installationId, refresh: isFresh });
      return { headers: bearer(token), account: `installation ${installationId}` };
    } catch (error) {
      return notInstalled(unreadable(error));
    }
  }

  async function findInstallation(base: string, signal: AbortSignal): Promise<number> {
    const found = known.get(base);
    if (found !== undefined && found.untilMs > clock.now()) return found.id;
    const question = { base, rest: '/installation', authorization: await asApp(), signal };
    const answer = decodeAnswer(await client.get(question).catch(notInstalled), installation);
    known.set(base, { ...answer, untilMs: clock.now() + INSTALLATION_KNOWN_MS });
    return answer.id;
  }

  return {
    asApp,
    asInstallation,
    authorize: async (base, signal) =>
      asInstallation(await findInstallation(base, signal), rejected.delete(base)),
    rejected: (base) => {
      known.delete(base);
      rejected.add(base);
    },
  };
}

function notInstalled(error: unknown): never {
  const isMissing = error instanceof UnreadableError && error.failure.kind === 'not_found';
  throw isMissing ? new UnreadableError({ kind: 'app_not_installed' }) : error;
}

/** The package throws errors with the answer's status, if there was one. */
function unreadable(error: unknown): UnreadableError {
  const status = error instanceof Error && 'status' in error ? error.status : null;
  return status === 401 || status === 403 || status === 404 ? refusal(status) : laterError('unreachable');
}
