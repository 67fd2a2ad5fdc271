import type { AuthTestResponse, EmojiListResponse } from '@slack/web-api';
import { type AccessRule, configuredNoticeChannels, type Rules } from '#jobs/policy.ts';
import { type Clock, clockAheadMs } from '#runtime/clock.ts';
import { SILENT } from '#runtime/redact.ts';
import type { Transaction } from '#store/store.ts';
import { EMOJI_SCOPE, grantedIn, missingScopes } from '../protocol/scopes.ts';
import type { SlackFacts } from '../views/home.ts';
import { isSharedChannel, type SharedChannels } from './access.ts';
import { boltLogger, createCaller, failureIn, type SlackCaller, slackClient } from './caller.ts';

/** Older than Slack. */
const NO_THREAD = '1000000000.000001';

type Identified = Awaited<ReturnType<typeof identify>>;
export type SlackIdentity = Readonly<Identified['identity']>;
export type SignedInAs = Readonly<Identified['signedInAs']>;

export async function identify(call: SlackCaller) {
  const answer = await call<AuthTestResponse & { response_metadata?: { date?: string } }>('auth.test');
  const identity = {
    botUserId: answer.user_id ?? '',
    botId: answer.bot_id ?? '',
    teamId: answer.team_id ?? '',
    /** An Enterprise Grid. */
    enterpriseId: answer.enterprise_id ?? null,
    /** With a trailing slash. */
    workspaceUrl: answer.url ?? null,
  };
  const signedInAs = { botName: answer.user ?? null, workspaceName: answer.team ?? null };
  const date = answer.response_metadata?.date ?? null;
  return { identity, signedInAs, scopes: grantedIn(answer), date };
}

/** Only members may read a channel. */
async function requireMember(call: SlackCaller, channel: string) {
  await call('conversations.history', { channel, limit: 1 });
}

export type Inspection = ReturnType<typeof inspectionBy>;
export type TokenFacts = Awaited<ReturnType<Inspection['token']>>;

/** Read-only. Every method throws SlackCallError. */
export function inspectionBy(
  token: string,
  apiUrl: string | null,
  { clock, timeoutMs }: Readonly<{ clock: Clock; timeoutMs: number }>,
) {
  const call = createCaller(slackClient(apiUrl, boltLogger(SILENT), timeoutMs), async () => token);
  return {
    token: async () => {
      const sentAtMs = clock.now();
      const { date, ...found } = await identify(call);
      return { ...found, clockAheadMs: clockAheadMs(date, { sentAtMs, answeredAtMs: clock.now() }) };
    },
    /** Opens no connection. */
    mayConnect: () => call('apps.connections.open'),
    /** Slack's pages disagree on whether the bot may read threads: reading a missing one tells. */
    isIn: async (channel: string): Promise<void> => {
      await requireMember(call, channel);
      const missing = call('conversations.replies', { channel, ts: NO_THREAD, limit: 1 });
      await missing.catch((error: unknown) => {
        if (failureIn(error).code !== 'thread_not_found') throw error;
      });
    },
    isShared: (channelId: string) => isSharedChannel(call, channelId),
    emoji: async (): Promise<ReadonlySet<string>> => {
      const args = { include_categories: true };
      const { emoji = {}, categories = [] } = await call<EmojiListResponse>('emoji.list', args);
      return new Set([...Object.keys(emoji), ...categories.flatMap(({ emoji_names: names = [] }) => names)]);
    },
  };
}

const CHANNELS_MAX = 8;
const ASKED_WITHIN_MS = 1_200;
const FRESH_MS = 300_000;

export function selfCheckBy(call: SlackCaller, clock: Clock, shared: SharedChannels, access: AccessRule) {
  let last: SlackFacts | null = null;

  /** Null: no answer in time, or a passing failure. */
  const answerOf = <T>(asked: Promise<T>) => {
    const answer = asked.catch((error: unknown) => {
      const { outcome, needsAdmin, code } = failureIn(error);
      return outcome === 'refused' || needsAdmin ? { refused: code } : null;
    });
    return clock.timeout(ASKED_WITHIN_MS, answer, null);
  };

  async function scopesFor(rules: Pick<Rules, 'channels'>) {
    const { scopes } = await identify(call);
    if (scopes === null) return null;
    const missing = missingScopes(scopes, [{ access, ...rules }]).map(({ name }) => name);
    return { missing: missing.filter((name) => name !== EMOJI_SCOPE) };
  }

  async function ask(channelIds: readonly string[], rules: Pick<Rules, 'channels'>): Promise<SlackFacts> {
    const reach = async (channelId: string) => {
      await requireMember(call, channelId);
      await shared.mustBeOpen(channelId);
      return 'reached' as const;
    };
    const reached = channelIds.slice(0, CHANNELS_MAX).map(async (channelId) => {
      return { channelId, reach: await answerOf(reach(channelId)) };
    });
    const [scopes, noticeChannels] = await Promise.all([answerOf(scopesFor(rules)), Promise.all(reached)]);
    last = { scopes, noticeChannels, atMs: clock.now() };
    return last;
  }

  return {
    ask,
    /** A negative age: the clock was set back. */
    recent: async (...asked: Parameters<typeof ask>): Promise<SlackFacts> => {
      const ageMs = last === null ? FRESH_MS : clock.now() - last.atMs;
      return last !== null && ageMs >= 0 && ageMs < FRESH_MS ? last : ask(...asked);
    },
  };
}

export async function noticeChannelsOf(tx: Transaction, teamId: string, rules: Rules): Promise<string[]> {
  const saved = await tx.channelSettings.noticeChannels(teamId);
  return [...new Set([...configuredNoticeChannels(rules), ...saved])];
}
