/** Whether Slack's error code says that the bot is not in the conversation. */
export function isAbsence(code: string): boolean {
  return code === 'not_in_channel' || code === 'channel_not_found';
}
