import { StoreError } from '../../store/errors.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import { notInstalled, SlackCallError } from '../workspace/web-api/failure.ts';
import type { Directory } from './directory.ts';
import { type RenewalParts, renew } from './renewal.ts';
import { VaultError } from './vault.ts';

/** Slack's tokens live for twelve hours. */
const RENEW_BEFORE_MS = 2 * 3_600_000;
/** A token must not expire on its way to Slack. */
const MARGIN_MS = 60_000;
const STORE_AWAY_MS = 2_000;

/** The bot's token for a workspace. Throws SlackCallError if there is none, or none that is valid now. */
export type TokenOf = (teamId: string) => Promise<string>;

/** The bot's tokens; one replica at a time renews one before it expires. */
export function botTokens(parts: RenewalParts, directory: Directory): TokenOf {
  const { clock, log, vault } = parts;
  const underWay = new Map<string, Promise<void>>();

  const installed = async (teamId: string): Promise<StoredInstallation> => {
    const installation = await directory.find(teamId).catch((error: unknown) => {
      if (error instanceof StoreError) throw tokenError('store_away', { retryAfterMs: STORE_AWAY_MS });
      throw error;
    });
    if (installation === null) throw notInstalled();
    return installation;
  };

  /** Never fails: without a new token, the old one is used for as long as it is valid. */
  const renewed = (teamId: string, installation: StoredInstallation): Promise<void> => {
    const { id, renewalProblem, renewingUntilMs } = installation;
    const known = underWay.get(id);
    if (known !== undefined) return known;
    const isAnothers = renewingUntilMs !== null && renewingUntilMs > clock.now();
    if (renewalProblem !== null || isAnothers) return Promise.resolve();
    const renewal = renew(parts, installation)
      .catch((error: unknown) => log.error('token_not_renewed', { installation_id: id, error }))
      .finally(() => {
        underWay.delete(id);
        directory.forget(teamId);
      });
    underWay.set(id, renewal);
    return renewal;
  };

  const open = ({ id, tokens }: StoredInstallation): string => {
    try {
      return vault.open(id, tokens).botToken;
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      log.error('token_not_readable', { installation_id: id, key_id: error.keyId });
      throw tokenError('token_not_readable', { needsAdmin: true });
    }
  };

  return async (teamId) => {
    const installation = await installed(teamId);
    const nowMs = clock.now();
    const { expiresAtMs } = installation.tokens;
    if (expiresAtMs === null || expiresAtMs - RENEW_BEFORE_MS > nowMs) return open(installation);
    const renewal = renewed(teamId, installation);
    if (expiresAtMs - MARGIN_MS > nowMs) return open(installation);
    await renewal;
    const after = await installed(teamId);
    if ((after.tokens.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs) return open(after);
    throw after.renewalProblem === null
      ? tokenError('token_renewing', {})
      : tokenError('token_expired', { needsAdmin: true });
  };
}

/** Without `retryAfterMs`, the pauses grow, since it may take a while until somebody mends it. */
function tokenError(code: string, how: { retryAfterMs?: number; needsAdmin?: boolean }): SlackCallError {
  const failure = {
    outcome: 'retry',
    code,
    retryAfterMs: null,
    needsAdmin: false,
    isPassing: false,
  } as const;
  return new SlackCallError('token', { ...failure, ...how }, null);
}
