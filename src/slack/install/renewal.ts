import { randomUUID } from 'node:crypto';
import type { OauthV2AccessResponse, WebClient } from '@slack/web-api';
import { persist } from '../../engine/persist.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import type { Store } from '../../store/store.ts';
import { classify } from '../workspace/web-api/failure.ts';
import type { Tokens, Vault } from './vault.ts';

/**
 * Longer than the call (ten seconds) and storing its answer take. After a failure, all replicas wait this long before
 * the next try.
 */
const RENEWAL_MS = 60_000;
/** The refresh token is no longer valid: only a new installation helps. */
const FINAL_CODES = new Set(['invalid_refresh_token', 'invalid_grant', 'token_revoked', 'account_inactive']);

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface RenewalParts {
  readonly store: Store;
  readonly vault: Vault;
  /** Must not retry by itself: a refresh token is good for one use. */
  readonly client: WebClient;
  readonly app: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Exchanges the refresh token for new tokens, unless another replica is doing so. Slack takes a refresh token once. If a
 * crash loses the answer, the old token works until it expires, and then the app must be installed again.
 */
export async function renew(parts: RenewalParts, installation: StoredInstallation): Promise<void> {
  const { store, vault, clock, log } = parts;
  const { id, tokens: sealed, revision } = installation;
  const { refreshToken } = vault.open(id, sealed);
  if (refreshToken === null) return;
  const renewal = { id, token: randomUUID() };
  const nowMs = clock.now();
  const isOurs = await store.transaction((tx) =>
    tx.installations.startRenewal(renewal, revision, nowMs, nowMs + RENEWAL_MS),
  );
  if (!isOurs) return;
  const result = await exchange(parts, id, refreshToken);
  if (result === 'later') return;
  const kept = 'problem' in result ? result : vault.seal(id, result);
  const isKept = await persist(parts, () =>
    store.transaction((tx) => tx.installations.endRenewal(renewal, kept)),
  );
  if (isKept && !('problem' in result)) log.info('token_renewed', { installation_id: id });
}

async function exchange(
  { client, app, clock, log }: RenewalParts,
  id: string,
  refreshToken: string,
): Promise<Tokens | { readonly problem: string } | 'later'> {
  try {
    const answer = (await client.apiCall('oauth.v2.access', {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })) as OauthV2AccessResponse;
    const { access_token: botToken, refresh_token: next, expires_in: seconds } = answer;
    if (botToken === undefined || next === undefined || seconds === undefined) {
      throw new Error('the answer holds no tokens');
    }
    return { botToken, refreshToken: next, expiresAtMs: clock.now() + seconds * 1000 };
  } catch (error) {
    const { code } = classify(error);
    log.error('token_not_renewed', { installation_id: id, reason: code });
    return FINAL_CODES.has(code) ? { problem: code } : 'later';
  }
}
