import { escapeMrkdwn } from '../text/escape.ts';
import { oneLine } from './untrusted.ts';

const ID_MAX = 32;
/** The last moment that `Date` knows: an API may ask to wait for longer. */
const LAST_DATE_MS = 8.64e15;

/** Text in Slack's markup, safe to send. Made by the `mrkdwn` template only. */
export interface Mrkdwn {
  readonly mrkdwn: string;
}

/** A template whose own words are markup; strings put into it are escaped, other Mrkdwn is taken as it is. */
export function mrkdwn(
  words: TemplateStringsArray,
  ...values: ReadonlyArray<string | number | Mrkdwn>
): Mrkdwn {
  const parts = values.map((value) =>
    typeof value === 'object' ? value.mrkdwn : escapeMrkdwn(String(value)),
  );
  return { mrkdwn: String.raw({ raw: words }, ...parts) };
}

/** Mentions, and so notifies, the user; an id that Slack could not have made is shown as text. */
export function userMention(userId: string): Mrkdwn {
  return isSlackId(userId) ? { mrkdwn: `<@${userId}>` } : mrkdwn`${oneLine(userId, ID_MAX)}`;
}

/** Names the channel and links to it. */
export function channelMention(channelId: string): Mrkdwn {
  return isSlackId(channelId) ? { mrkdwn: `<#${channelId}>` } : mrkdwn`${oneLine(channelId, ID_MAX)}`;
}

/** The time of day, shown in the reader's own time zone. */
export function timeOfDay(atMs: number): Mrkdwn {
  const ms = Math.min(Math.max(Math.trunc(atMs) || 0, 0), LAST_DATE_MS);
  const date = new Date(ms);
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()].map((n) => String(n).padStart(2, '0'));
  return { mrkdwn: `<!date^${Math.trunc(ms / 1000)}^{time}|${hours}:${minutes} UTC>` };
}

function isSlackId(id: string): boolean {
  return id.length <= ID_MAX && /^[A-Z0-9]+$/.test(id);
}
