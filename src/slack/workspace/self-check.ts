import { type AccessRule, configuredNoticeChannels, type Rules } from '#jobs/policy.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Transaction } from '#store/store.ts';
import { EMOJI_SCOPE, missingScopes } from '../protocol/scopes.ts';
import type { SlackChecked } from '../views/home.ts';
import { failureIn } from './caller.ts';
import type { Poster } from './poster.ts';

const CHANNELS_MAX = 8;
const ASKED_WITHIN_MS = 1_200;
const FRESH_MS = 300_000;

export function selfCheckBy(poster: Poster, clock: Clock, access: AccessRule) {
  let last: SlackChecked | null = null;

  /** Null: no answer in time, or a passing failure. */
  const answerOf = <T>(asked: Promise<T>) => {
    const answer = asked.catch((error: unknown) => {
      const { outcome, needsAdmin, code } = failureIn(error);
      return outcome === 'refused' || needsAdmin ? { refused: code } : null;
    });
    return clock.timeout(ASKED_WITHIN_MS, answer, null);
  };

  async function scopesFor(rules: Pick<Rules, 'channels'>) {
    const granted = await poster.grantedScopes();
    if (granted === null) return null;
    const missing = missingScopes(granted, [{ access, ...rules }]).map(({ name }) => name);
    return { missing: missing.filter((name) => name !== EMOJI_SCOPE) };
  }

  return {
    last: () => last,
    /** A negative age: the clock was set back. */
    isFresh: (): boolean => {
      const ageMs = clock.now() - (last?.atMs ?? Number.NEGATIVE_INFINITY);
      return ageMs >= 0 && ageMs < FRESH_MS;
    },
    ask: async (channelIds: readonly string[], rules: Pick<Rules, 'channels'>): Promise<SlackChecked> => {
      const reached = channelIds.slice(0, CHANNELS_MAX).map(async (channelId) => {
        const asked = poster.mayPostIn(channelId).then(() => 'reached' as const);
        return { channelId, reach: await answerOf(asked) };
      });
      const [scopes, noticeChannels] = await Promise.all([answerOf(scopesFor(rules)), Promise.all(reached)]);
      last = { scopes, noticeChannels, atMs: clock.now() };
      return last;
    },
  };
}

export async function noticeChannelsOf(tx: Transaction, teamId: string, rules: Rules): Promise<string[]> {
  const saved = await tx.channelSettings.noticeChannels(teamId);
  return [...new Set([...configuredNoticeChannels(rules), ...saved])];
}
