import type { Clock } from '../../engine/runtime/clock.ts';
import { type AccessRule, configuredNoticeChannels, type Rules } from '../../jobs/policy.ts';
import type { Transaction } from '../../store/store.ts';
import { EMOJI_SCOPE, missingScopes } from '../protocol/scopes.ts';
import type { ReachedChannel, SlackChecked, SlackFacts } from '../views/doctor.ts';
import type { Poster } from './poster.ts';
import { SlackCallError } from './web-api/failure.ts';

/** Slack is asked about all of them at once. */
const CHANNELS_MAX = 8;
const ASKED_WITHIN_MS = 1_200;
const FRESH_MS = 300_000;

export type SelfCheck = ReturnType<typeof selfCheckBy>;

/** Asks Slack about the bot's own permissions, and remembers the result. */
export function selfCheckBy(poster: Poster, clock: Clock, access: AccessRule) {
  let last: SlackChecked | null = null;

  async function scopesFor(rules: Pick<Rules, 'channels'>): Promise<SlackFacts['scopes']> {
    try {
      const granted = await poster.grantedScopes();
      if (granted === null) return null;
      const missing = missingScopes(granted, [{ access, ...rules }]);
      return { missing: missing.map(({ name }) => name).filter((name) => name !== EMOJI_SCOPE) };
    } catch (error) {
      return refusalOf(error);
    }
  }

  async function reached(channelId: string): Promise<ReachedChannel> {
    const asked = poster.mayPostIn(channelId).then(() => 'reached' as const, refusalOf);
    return { channelId, reach: await clock.timeout(ASKED_WITHIN_MS, asked, null) };
  }

  return {
    /** The last result; null: nobody has asked yet. */
    last: () => last,
    /** A negative age means that the clock was set back. */
    isFresh: (): boolean => {
      const ageMs = clock.now() - (last?.atMs ?? Number.NEGATIVE_INFINITY);
      return ageMs >= 0 && ageMs < FRESH_MS;
    },
    /**
     * Asks Slack now; a missing answer is part of the result.
     * @param rules of the workspace: some need more scopes
     */
    ask: async (channelIds: readonly string[], rules: Pick<Rules, 'channels'>): Promise<SlackChecked> => {
      const [scopes, noticeChannels] = await Promise.all([
        clock.timeout(ASKED_WITHIN_MS, scopesFor(rules), null),
        Promise.all(channelIds.slice(0, CHANNELS_MAX).map(reached)),
      ]);
      last = { scopes, noticeChannels, atMs: clock.now() };
      return last;
    },
  };
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
