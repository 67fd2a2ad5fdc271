import type { Attached } from '../../jobs/attached.ts';
import { stripLeadingMention } from '../protocol/readable-text.ts';
import { attachedOf } from './attached.ts';
import { isHuman, type MessageEvent } from './reply.ts';
import { saidBy } from './said.ts';

/** What a person wrote to the bot: a mention, or a direct message. */
export interface Written {
  readonly channelId: string;
  readonly userId: string;
  readonly ts: string;
  /** Of the thread that it was written in, or null. */
  readonly threadTs: string | null;
  /** As Slack delivered it, without the mention at its start. */
  readonly text: string;
  readonly attached: Attached;
}

/** Null if it is not a person's, or if it tells of an edit: that starts nothing. */
export function writtenOf(event: MessageEvent, botUserId: string | undefined): Written | null {
  const { user, ts, thread_ts: threadTs } = event;
  if (!isHuman(event, botUserId) || user === undefined || event.edited !== undefined) return null;
  const attached = attachedOf(event);
  return {
    channelId: event.channel,
    userId: user,
    ts,
    threadTs: threadTs === undefined || threadTs === ts ? null : threadTs,
    text: wishIn(saidBy(event), attached, botUserId),
    attached,
  };
}

/** What is asked for, without the mention at its start; snippets without a word are to be seen. */
export function wishIn(text: string, { snippets }: Attached, botUserId: string | undefined): string {
  const own = (botUserId === undefined ? text : stripLeadingMention(text, botUserId)).trim();
  return own === '' && snippets.length > 0 ? `See ${snippets.map(({ name }) => name).join(', ')}` : own;
}
