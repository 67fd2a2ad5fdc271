import { StoreError } from '../../store/errors.ts';
import type { StoredInstallation } from '../../store/queries/installations.ts';
import { notInstalled, SlackCallError } from '../workspace/web-api/failure.ts';
import type { Directory } from './directory.ts';
import { type RenewalParts, renew } from './renewal.ts';
import { VaultError } from './vault.ts';

/** Slack's tokens live for twelve hours. */
const RENEW_BEFORE_MS = 2 * 3_600_000;
/** On its way to Slack, a token must not expire. */
const MARGIN_MS = 60_000;
const STORE_AWAY_MS = 2_000;

/** The tokens of the bot, renewed before they expire by one replica at a time. */
export class BotTokens {
  private readonly parts: RenewalParts;
  private readonly directory: Directory;
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(parts: RenewalParts, directory: Directory) {
    this.parts = parts;
    this.directory = directory;
  }

  /** That of the workspace. Throws SlackCallError if there is none, or none that is good now. */
  async of(teamId: string): Promise<string> {
    const installation = await this.installed(teamId);
    const nowMs = this.parts.clock.now();
    const { expiresAtMs } = installation.tokens;
    if (expiresAtMs === null || expiresAtMs - RENEW_BEFORE_MS > nowMs) return this.open(installation);
    const renewed = this.renew(teamId, installation);
    if (expiresAtMs - MARGIN_MS > nowMs) return this.open(installation);
    await renewed;
    const after = await this.installed(teamId);
    if ((after.tokens.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs) return this.open(after);
    throw after.renewalProblem === null ? notNow('token_renewing', null) : needsAdmin('token_expired');
  }

  private async installed(teamId: string): Promise<StoredInstallation> {
    const installation = await this.directory.find(teamId).catch((error: unknown) => {
      if (error instanceof StoreError) throw notNow('store_away', STORE_AWAY_MS);
      throw error;
    });
    if (installation === null) throw notInstalled();
    return installation;
  }

  /** Never fails: without a new token, the old one goes on for as long as it is good. */
  private renew(teamId: string, installation: StoredInstallation): Promise<void> {
    const { id, renewalProblem, renewingUntilMs } = installation;
    const known = this.underWay.get(id);
    if (known !== undefined) return known;
    const isAnothers = renewingUntilMs !== null && renewingUntilMs > this.parts.clock.now();
    if (renewalProblem !== null || isAnothers) return Promise.resolve();
    const renewed = renew(this.parts, installation)
      .catch((error: unknown) => {
        this.parts.log.error('token_not_renewed', { installation_id: id, error });
      })
      .finally(() => {
        this.underWay.delete(id);
        this.directory.forget(teamId);
      });
    this.underWay.set(id, renewed);
    return renewed;
  }

  private open({ id, tokens }: StoredInstallation): string {
    try {
      return this.parts.vault.open(id, tokens).botToken;
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      this.parts.log.error('token_not_readable', { installation_id: id, key_id: error.keyId });
      throw needsAdmin('token_not_readable');
    }
  }
}

/** @param retryAfterMs null: each time later, as it may take until somebody mends it */
function notNow(code: string, retryAfterMs: number | null): SlackCallError {
  const failure = { outcome: 'retry', code, retryAfterMs, needsAdmin: false, isPassing: false } as const;
  return new SlackCallError('token', failure, null);
}

function needsAdmin(code: string): SlackCallError {
  const failure = { outcome: 'retry', code, retryAfterMs: null, needsAdmin: true, isPassing: false } as const;
  return new SlackCallError('token', failure, null);
}
