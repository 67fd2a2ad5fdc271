import type { Clock } from '../../engine/runtime/clock.ts';
import { configuredNoticeChannels, hasMarks, type Rules } from '../../jobs/policy.ts';
import type { Transaction } from '../../store/store.ts';
import { EMOJI_SCOPE, missingScopes } from '../protocol/scopes.ts';
import type { ReachedChannel, SlackChecked, SlackFacts } from '../views/doctor.ts';
import type { Poster } from './poster.ts';
import { SlackCallError } from './web-api/failure.ts';

/** Slack is asked about all of them at once. */
const CHANNELS_MAX = 8;
const ASKED_WITHIN_MS = 1_200;
const FRESH_MS = 300_000;

export class SelfCheck {
  private readonly poster: Poster;
  private readonly clock: Clock;
  private readonly needsUserGroups: boolean;
  private found: SlackChecked | null = null;

  constructor(poster: Poster, clock: Clock, needsUserGroups: boolean) {
    this.poster = poster;
    this.needsUserGroups = needsUserGroups;
    this.clock = clock;
  }

  /** The last result; null: nobody has asked yet. */
  get last(): SlackChecked | null {
    return this.found;
  }

  /** A negative age means that the clock was set back. */
  get isFresh(): boolean {
    const ageMs = this.clock.now() - (this.found?.atMs ?? Number.NEGATIVE_INFINITY);
    return ageMs >= 0 && ageMs < FRESH_MS;
  }

  /**
   * Asks Slack now; a missing answer is part of the result.
   * @param rules of the workspace: some need more scopes
   */
  async ask(channelIds: readonly string[], rules: Pick<Rules, 'channels'>): Promise<SlackChecked> {
    const asked = channelIds.slice(0, CHANNELS_MAX);
    const [scopes, noticeChannels] = await Promise.all([
      this.clock.timeout(ASKED_WITHIN_MS, this.scopes(rules), null),
      Promise.all(asked.map((channelId) => this.reached(channelId))),
    ]);
    this.found = { scopes, noticeChannels, atMs: this.clock.now() };
    return this.found;
  }

  private async scopes(rules: Pick<Rules, 'channels'>): Promise<SlackFacts['scopes']> {
    try {
      const granted = await this.poster.grantedScopes();
      if (granted === null) return null;
      const missing = missingScopes(granted, {
        userGroups: this.needsUserGroups,
        reactions: hasMarks(rules),
      });
      return { missing: missing.map(({ name }) => name).filter((name) => name !== EMOJI_SCOPE) };
    } catch (error) {
      return refusalOf(error);
    }
  }

  private async reached(channelId: string): Promise<ReachedChannel> {
    const asked = this.poster.mayPostIn(channelId).then(() => 'reached' as const, refusalOf);
    return { channelId, reach: await this.clock.timeout(ASKED_WITHIN_MS, asked, null) };
  }
}

/** Null: the failure passes, and says nothing. */
function refusalOf(error: unknown): { readonly refused: string } | null {
  if (!(error instanceof SlackCallError)) throw error;
  const { outcome, needsAdmin, code } = error.failure;
  return outcome === 'refused' || needsAdmin ? { refused: code } : null;
}

/**
 * Where the workspace's pull requests are announced: the operator's channels first, then those saved in
 * Slack.
 */
export async function noticeChannelsOf(tx: Transaction, teamId: string, rules: Rules): Promise<string[]> {
  const saved = await tx.channelSettings.noticeChannels(teamId);
  return [...new Set([...configuredNoticeChannels(rules), ...saved])];
}
