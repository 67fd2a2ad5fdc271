import type { AuthTestResponse, EmojiListResponse } from '@slack/web-api';
import { clockAheadMs } from '../../engine/runtime/clock.ts';
import { grantedIn } from '../protocol/scopes.ts';
import { isSharedChannel } from './access.ts';
import { boltLogger, createCaller, slackClient } from './web-api/caller.ts';
import { failureIn } from './web-api/failure.ts';
import { lookUpUser } from './web-api/names.ts';
import type { WorkspaceParts } from './workspace.ts';

/** Older than Slack. */
const NO_THREAD = '1000000000.000001';

export type Inspection = ReturnType<typeof inspectionBy>;
export type TokenFacts = Awaited<ReturnType<Inspection['token']>>;

/** Changes nothing in Slack. Every method throws SlackCallError. */
export function inspectionBy(
  token: string,
  { apiUrl, clock, log }: Omit<WorkspaceParts, 'client'>,
  timeoutMs: number,
) {
  const call = createCaller(slackClient(apiUrl, boltLogger(log), timeoutMs), async () => token);
  return {
    token: async () => {
      const sentAtMs = clock.now();
      const answer = await call<AuthTestResponse & { response_metadata?: { date?: string } }>('auth.test');
      const date = answer.response_metadata?.date ?? null;
      return {
        workspace: answer.team ?? '',
        teamId: answer.team_id ?? '',
        botName: answer.user ?? '',
        scopes: grantedIn(answer),
        clockAheadMs: clockAheadMs(date, { sentAtMs, answeredAtMs: clock.now() }),
      };
    },
    /** Whether the app token may open Socket Mode connections; opens none. */
    mayConnect: () => call('apps.connections.open'),
    /**
     * Whether the bot is in the channel: only members may read its history, so no further scope is needed. The thread
     * does not exist; reading it shows whether the bot may read threads, on which Slack's pages disagree.
     */
    isIn: async (channel: string): Promise<void> => {
      await call('conversations.history', { channel, limit: 1 });
      await nullIf('thread_not_found', call('conversations.replies', { channel, ts: NO_THREAD, limit: 1 }));
    },
    isShared: (channelId: string) => isSharedChannel(call, channelId),
    /** Null: there is no such person, or it is a bot, or deactivated. */
    personName: async (userId: string): Promise<string | null> => {
      const user = await nullIf('user_not_found', lookUpUser(call, userId));
      return user?.isPerson ? (user.name ?? userId) : null;
    },
    emoji: async (): Promise<ReadonlySet<string>> => {
      const args = { include_categories: true };
      const { emoji = {}, categories = [] } = await call<EmojiListResponse>('emoji.list', args);
      return new Set([...Object.keys(emoji), ...categories.flatMap(({ emoji_names: names = [] }) => names)]);
    },
    /** @param teamId the workspace, which an organisation's token must name; else null */
    userGroupExists: (usergroup: string, teamId: string | null) =>
      call('usergroups.users.list', { usergroup, team_id: teamId }),
  };
}

function nullIf<T>(code: string, asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (failureIn(error).code === code) return null;
    throw error;
  });
}
