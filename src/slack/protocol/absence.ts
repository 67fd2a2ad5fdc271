/** Our own reason, where others are Slack's error codes: a post may be there, and the bot cannot see whether it is. */
export const NOT_SEEN = 'not_seen';

/** Whether Slack's error code says that the bot is not in the conversation. */
export function isNotInChannel(code: string): boolean {
  return code === 'not_in_channel' || code === 'channel_not_found';
}
