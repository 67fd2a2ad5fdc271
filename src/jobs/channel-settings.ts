/** What is set for a channel; what is not, is as everywhere. */
export interface ChannelSettings {
  readonly projectName?: string | undefined;
  /** Where pull requests asked for in the channel are told of, besides all others. */
  readonly noticeChannels?: readonly string[] | undefined;
  readonly followUpMode?: FollowUpMode | undefined;
  readonly followUpWindowMs?: number | undefined;
}

/** Which replies in a thread are follow-ups: all, or those that mention the bot. */
export type FollowUpMode = 'every_reply' | 'mentions';
