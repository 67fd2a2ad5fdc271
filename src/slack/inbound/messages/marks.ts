import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { withoutSkinTone } from '../../protocol/ids.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { isAdmitted } from '../requests/door.ts';

type Args = SlackEventMiddlewareArgs<'reaction_added' | 'reaction_removed'> & AllMiddlewareArgs;

/**
 * A reaction was added or removed. If it is the channel's emoji for drafts, the message is read: its current
 * reactions decide, in whatever order and however often events arrive.
 */
export async function mark(deps: ListenerDeps, { event }: Args): Promise<void> {
  const { type, user: userId, reaction, item } = event;
  const { store, clock, teamId } = deps;
  // Slack's types know no other item, nor an event without one.
  const isMessage = item?.type === 'message';
  const emoji = isMessage
    ? deps.newContext().rulesOf(teamId).channels.get(item.channel)?.reaction
    : undefined;
  if (emoji === undefined || withoutSkinTone(reaction) !== emoji) return noteRequest({ outcome: 'ignored' });
  if (type === 'reaction_added' && !(await mayMark(deps, userId, item.channel))) return;
  const subject = `${teamId}:${item.channel}:${item.ts}`;
  const look = { kind: 'look_at_marks', subject, runAtMs: clock.now(), ifScheduled: 'replace' } as const;
  await store.transaction((tx) => tx.tasks.schedule(look));
  noteRequest({ outcome: 'accepted' });
}

/** A member without the right learns it once; for people of other workspaces, it is just an emoji. */
async function mayMark(deps: ListenerDeps, userId: string, channelId: string): Promise<boolean> {
  if ((await deps.access.refusal(userId, channelId)) === 'other_workspace') return false;
  return isAdmitted(deps, { userId, channelId, threadTs: null }, `reaction:${channelId}:${userId}`);
}
