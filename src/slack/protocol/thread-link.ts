const CHANNEL_ID = /^[A-Z0-9]{1,32}$/;

/**
 * The address of a thread, in the form of Slack's own permalinks, without a call for each: a list has many.
 * https://docs.slack.dev/reference/methods/chat.getPermalink
 * @param workspaceUrl as `auth.test` gives it; null if it did not: then there is no link
 */
export function threadLink(
  workspaceUrl: string | null,
  channelId: string,
  threadTs: string | null,
): string | null {
  if (workspaceUrl === null || threadTs === null || !CHANNEL_ID.test(channelId)) return null;
  return URL.parse(`archives/${channelId}/p${threadTs.replace('.', '')}`, workspaceUrl)?.href ?? null;
}
