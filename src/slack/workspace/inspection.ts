import type { AuthTestResponse, EmojiListResponse } from '@slack/web-api';
import { clockAheadMs } from '#runtime/clock.ts';
import { grantedIn } from '../protocol/scopes.ts';
import { isSharedChannel } from './access.ts';
import { boltLogger, createCaller, failureIn, slackClient } from './caller.ts';
import { lookUpUser } from './names.ts';
import type { WorkspaceParts } from './workspace.ts';

/** Older than Slack. */
const NO_THREAD = '1000000000.000001';

export type Inspection = ReturnType<typeof inspectionBy>;
export type TokenFacts = Awaited<ReturnType<Inspection['token']>>;

/** Read-only. Every method throws SlackCallError. */
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
    /** Opens no connection. */
    mayConnect: () => call('apps.connections.open'),
    /**
     * Only members may read a channel's history. Slack's pages disagree on whether the bot may read threads:
     * reading a missing one tells.
     */
    isIn: async (channel: string): Promise<void> => {
      await call('conversations.history', { channel, limit: 1 });
      await nullIf('thread_not_found', call('conversations.replies', { channel, ts: NO_THREAD, limit: 1 }));
    },
    isShared: (channelId: string) => isSharedChannel(call, channelId),
    /** Null: no person. */
    personName: async (userId: string): Promise<string | null> => {
      const user = await nullIf('user_not_found', lookUpUser(call, userId));
      return user?.isPerson ? (user.name ?? userId) : null;
    },
    emoji: async (): Promise<ReadonlySet<string>> => {
      const args = { include_categories: true };
      const { emoji = {}, categories = [] } = await call<EmojiListResponse>('emoji.list', args);
      return new Set([...Object.keys(emoji), ...categories.flatMap(({ emoji_names: names = [] }) => names)]);
    },
    /** @param teamId only an organisation's token needs it */
    userGroupExists: (usergroup: string, teamId: string | null) =>
      call('usergroups.users.list', { usergroup, team_id: teamId }),
  };
}

function nullIf<T>(code: string, asked: Promise<T>) {
  return asked.catch((error: unknown) => {
    if (failureIn(error).code === code) return null;
    throw error;
  });
}
