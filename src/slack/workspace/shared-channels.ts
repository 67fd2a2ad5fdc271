import type { ConversationsInfoResponse } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import { CHANNEL_IS_SHARED, isNotInChannel } from '../protocol/error-codes.ts';
import { isChannel } from '../protocol/ids.ts';
import { CachedLookup } from './web-api/cached-lookup.ts';
import { type SlackCaller, withSecondTry } from './web-api/caller.ts';
import { SlackCallError, type SlackFailure } from './web-api/failure.ts';

/** How long a newly shared channel may go unnoticed, if no event says so. */
const FRESH_MS = 600_000;
const MAX_CHANNELS = 5_000;
const METHOD = 'conversations.info';

/** Slack does not say whether the channel is shared, so it counts as shared. */
export class ChannelUnreadError extends SlackCallError {
  constructor({ failure }: SlackCallError) {
    // Only the look failed: what was to follow has not happened.
    super(METHOD, { ...failure, outcome: failure.outcome === 'unknown' ? 'retry' : failure.outcome }, null);
    this.name = 'ChannelUnreadError';
  }
}

const IS_SHARED: SlackFailure = {
  outcome: 'refused',
  code: CHANNEL_IS_SHARED,
  retryAfterMs: null,
  needsAdmin: false,
  isPassing: false,
};

/** Which channels are closed because people of another organisation are in them, or invited. */
export class SharedChannels {
  private readonly allowed: ReadonlySet<string>;
  private readonly lookup: CachedLookup<boolean>;

  /** @param allowed those that stay open */
  constructor(call: SlackCaller, clock: Clock, allowed: ReadonlySet<string>) {
    this.allowed = allowed;
    this.lookup = new CachedLookup(
      async (channel) => {
        const ask = () => call<ConversationsInfoResponse>(METHOD, { channel });
        const { channel: said } = await withSecondTry(ask, clock);
        return said?.is_ext_shared === true || said?.is_pending_ext_shared === true;
      },
      clock,
      { freshMs: FRESH_MS, max: MAX_CHANNELS, mayBeStale: false },
    );
  }

  /**
   * Not for a private channel without the bot: Slack shows it only to members, and nothing can be posted
   * there. Throws ChannelUnreadError.
   */
  async isClosed(channelId: string): Promise<boolean> {
    if (this.isAlwaysOpen(channelId)) return false;
    try {
      return await this.lookup.get(channelId);
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      if (isNotInChannel(error.failure.code)) return false;
      throw new ChannelUnreadError(error);
    }
  }

  /** Throws SlackCallError if the channel is closed, or counts as closed. */
  async mustBeOpen(channelId: string): Promise<void> {
    if (await this.isClosed(channelId)) throw new SlackCallError(METHOD, IS_SHARED, null);
  }

  /** Whether `isClosed` has an answer without asking Slack. */
  knows(channelId: string): boolean {
    return this.isAlwaysOpen(channelId) || this.lookup.knows(channelId);
  }

  /** An event says that it is shared. */
  nowShared(channelId: string): void {
    this.lookup.learn(channelId, true);
  }

  /** It may be another one, or readable, now. */
  forget(channelId: string): void {
    this.lookup.forget(channelId);
  }

  /** Direct messages are governed by the rule for people. */
  private isAlwaysOpen(channelId: string): boolean {
    return !isChannel(channelId) || this.allowed.has(channelId);
  }
}
