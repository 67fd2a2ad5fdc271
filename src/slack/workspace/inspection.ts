import {
  type AuthTestResponse,
  type ConversationsInfoResponse,
  type EmojiListResponse,
  type UsersInfoResponse,
  type WebAPICallResult,
  WebClient,
} from '@slack/web-api';
import { type Clock, clockAheadMs } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import { type GrantedScopes, grantedIn } from '../protocol/scopes.ts';
import { classify, SlackCallError } from './web-api/failure.ts';
import { boltLogger } from './web-api/http.ts';

/** Older than Slack. */
const NO_THREAD = '1000000000.000001';

export interface InspectionOptions {
  /** Null: Slack's own. */
  readonly apiUrl: string | null;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface TokenFacts {
  readonly workspace: string;
  readonly teamId: string;
  readonly botName: string;
  readonly scopes: GrantedScopes;
  /** See `clockAheadMs`. */
  readonly clockAheadMs: number | null;
}

/** Asks Slack with one token, and changes nothing there. Every method throws SlackCallError. */
export class Inspection {
  private readonly client: WebClient;
  private aheadMs: number | null = null;

  constructor(token: string, { apiUrl, timeoutMs, clock, log }: InspectionOptions) {
    this.client = new WebClient(token, {
      ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
      logger: boltLogger(log),
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: timeoutMs,
      fetch: async (url, init) => {
        const sentAtMs = clock.now();
        const response = await fetch(url, init);
        const date = response.headers.get('date');
        this.aheadMs = clockAheadMs(date, { sentAtMs, answeredAtMs: clock.now() });
        return response;
      },
    });
  }

  async token(): Promise<TokenFacts> {
    const answer = await this.call<AuthTestResponse>('auth.test');
    return {
      workspace: answer.team ?? '',
      teamId: answer.team_id ?? '',
      botName: answer.user ?? '',
      scopes: grantedIn(answer),
      clockAheadMs: this.aheadMs,
    };
  }

  /** Whether the app token may open Socket Mode connections; opens none. */
  async mayConnect(): Promise<void> {
    await this.call('apps.connections.open');
  }

  /**
   * Whether the bot is in the channel: only members may read its history, so no further scope is needed. The
   * thread does not exist; reading it shows whether the bot may read threads, on which Slack's pages
   * disagree.
   */
  async isIn(channelId: string): Promise<void> {
    await this.call('conversations.history', { channel: channelId, limit: 1 });
    try {
      await this.call('conversations.replies', { channel: channelId, ts: NO_THREAD, limit: 1 });
    } catch (error) {
      if (!(error instanceof SlackCallError) || error.failure.code !== 'thread_not_found') throw error;
    }
  }

  /** Whether people of another organisation are in the channel, or invited. */
  async isShared(channelId: string): Promise<boolean> {
    const { channel } = await this.call<ConversationsInfoResponse>('conversations.info', {
      channel: channelId,
    });
    return channel?.is_ext_shared === true || channel?.is_pending_ext_shared === true;
  }

  /** The person's name; null: there is no such person, or it is a bot, or deactivated. */
  async personName(userId: string): Promise<string | null> {
    try {
      const { user } = await this.call<UsersInfoResponse>('users.info', { user: userId });
      if (user === undefined || user.deleted || user.is_bot) return null;
      return user.profile?.display_name || user.real_name || user.name || userId;
    } catch (error) {
      if (error instanceof SlackCallError && error.failure.code === 'user_not_found') return null;
      throw error;
    }
  }

  async emoji(): Promise<ReadonlySet<string>> {
    const { emoji = {}, categories = [] } = await this.call<EmojiListResponse>('emoji.list', {
      include_categories: true,
    });
    return new Set([...Object.keys(emoji), ...categories.flatMap(({ emoji_names: names = [] }) => names)]);
  }

  /** @param teamId the workspace, which an organisation's token must name; else null */
  async userGroupExists(groupId: string, teamId: string | null): Promise<void> {
    const workspace = teamId === null ? {} : { team_id: teamId };
    await this.call('usergroups.users.list', { usergroup: groupId, ...workspace });
  }

  private async call<T extends WebAPICallResult>(
    method: string,
    args: Record<string, unknown> = {},
  ): Promise<T> {
    try {
      return (await this.client.apiCall(method, args)) as T;
    } catch (error) {
      throw new SlackCallError(method, classify(error), error);
    }
  }
}
