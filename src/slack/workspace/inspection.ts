import type { AuthTestResponse, EmojiListResponse } from '@slack/web-api';
import { clockAheadMs } from '../../engine/runtime/clock.ts';
import { type GrantedScopes, grantedIn } from '../protocol/scopes.ts';
import { isSharedChannel } from './access.ts';
import { createCaller } from './web-api/caller.ts';
import { SlackCallError } from './web-api/failure.ts';
import { boltLogger, PostingClient } from './web-api/http.ts';
import { lookUpUser } from './web-api/names.ts';
import type { WorkspaceParts } from './workspace.ts';

/** Older than Slack. */
const NO_THREAD = '1000000000.000001';

export interface TokenFacts {
  readonly workspace: string;
  readonly teamId: string;
  readonly botName: string;
  readonly scopes: GrantedScopes;
  /** See `clockAheadMs`. */
  readonly clockAheadMs: number | null;
}

export type Inspection = ReturnType<typeof inspectionBy>;

/** Asks Slack with one token, and changes nothing there. Every method throws SlackCallError. */
export function inspectionBy(
  token: string,
  { apiUrl, clock, log }: Omit<WorkspaceParts, 'client'>,
  timeoutMs: number,
) {
  const client = new PostingClient(apiUrl, boltLogger(log), timeoutMs);
  const call = createCaller(client, async () => token);
  return {
    token: async (): Promise<TokenFacts> => {
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
     * Whether the bot is in the channel: only members may read its history, so no further scope is needed. The
     * thread does not exist; reading it shows whether the bot may read threads, on which Slack's pages
     * disagree.
     */
    isIn: async (channel: string): Promise<void> => {
      await call('conversations.history', { channel, limit: 1 });
      await call('conversations.replies', { channel, ts: NO_THREAD, limit: 1 }).catch(
        unlessCode('thread_not_found'),
      );
    },
    isShared: (channelId: string) => isSharedChannel(call, channelId),
    /** The person's name; null: there is no such person, or it is a bot, or deactivated. */
    personName: async (userId: string): Promise<string | null> => {
      const user = await lookUpUser(call, userId).catch(unlessCode('user_not_found'));
      return user?.isPerson ? (user.name ?? userId) : null;
    },
    emoji: async (): Promise<ReadonlySet<string>> => {
      const { emoji = {}, categories = [] } = await call<EmojiListResponse>('emoji.list', {
        include_categories: true,
      });
      return new Set([...Object.keys(emoji), ...categories.flatMap(({ emoji_names: names = [] }) => names)]);
    },
    /** @param teamId the workspace, which an organisation's token must name; else null */
    userGroupExists: (usergroup: string, teamId: string | null) =>
      call('usergroups.users.list', { usergroup, ...(teamId !== null && { team_id: teamId }) }),
  };
}

function unlessCode(code: string) {
  return (error: unknown): null => {
    if (error instanceof SlackCallError && error.failure.code === code) return null;
    throw error;
  };
}
