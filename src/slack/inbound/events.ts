import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { withoutSkinTone } from '../protocol/ids.ts';
import { noteRequest } from './connection/request-log.ts';
import type { ListenerDeps } from './listener.ts';
import { isAdmitted } from './requests/door.ts';

type Args<Name extends string> = SlackEventMiddlewareArgs<Name> & AllMiddlewareArgs;

/** Rendered again whenever a person opens it. */
export async function homeOpened(
  { store, clock, teamId }: ListenerDeps,
  { event }: Args<'app_home_opened'>,
): Promise<void> {
  if (event.tab !== 'home') return;
  await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
}

/** Somebody joined a channel. If it is the bot, waiting posts go out, and replies may have been missed. */
export async function joined(deps: ListenerDeps, { event }: Args<'member_joined_channel'>): Promise<void> {
  if (event.user !== deps.botUserId) return;
  // Slack shows the channel to the bot only now.
  deps.access.shared.forget(event.channel);
  await opened(deps, event.channel);
}

/** People of another organisation can now see the channel. */
export async function nowShared(deps: ListenerDeps, { event }: Args<'channel_shared'>): Promise<void> {
  deps.access.shared.nowShared(event.channel);
  noteRequest({ outcome: 'accepted' });
  deps.log.info('channel_shared', { team_id: deps.teamId, channel_id: event.channel });
}

export function unarchived(
  deps: ListenerDeps,
  { event }: Args<'channel_unarchive' | 'group_unarchive'>,
): Promise<void> {
  return opened(deps, event.channel);
}

export async function deleted(
  deps: ListenerDeps,
  { event: { channel: channelId } }: Args<'channel_deleted' | 'group_deleted'>,
): Promise<void> {
  const { store, clock, teamId } = deps;
  await store.transaction((tx) => tx.places.deleted({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  deps.log.info('channel_deleted', { team_id: deps.teamId, channel_id: channelId });
}

async function opened(deps: ListenerDeps, channelId: string): Promise<void> {
  const { store, clock, teamId } = deps;
  await store.transaction((tx) => tx.places.opened({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  deps.log.info('channel_opened', { team_id: deps.teamId, channel_id: channelId });
  deps.lookForMissed();
}

/**
 * A reaction was added or removed. If it is the channel's emoji for drafts, the message is read: its current
 * reactions decide, in whatever order and however often events arrive.
 */
export async function mark(
  deps: ListenerDeps,
  { event }: Args<'reaction_added' | 'reaction_removed'>,
): Promise<void> {
  const { type, user: userId, reaction, item } = event;
  const { store, clock, teamId } = deps;
  // Slack's types know no other item, nor an event without one.
  const isMessage = item?.type === 'message';
  const emoji = isMessage
    ? deps.newContext().rulesOf(teamId).channels.get(item.channel)?.reaction
    : undefined;
  if (emoji === undefined || withoutSkinTone(reaction) !== emoji) return noteRequest({ outcome: 'ignored' });
  if (type === 'reaction_added') {
    const channelId = item.channel;
    // For people of other workspaces, it is just an emoji. A member without the right learns it once.
    if ((await deps.access.refusal(userId, channelId)) === 'other_workspace') return;
    const marking = { userId, channelId, threadTs: null };
    if (!(await isAdmitted(deps, marking, `reaction:${channelId}:${userId}`))) return;
  }
  const subject = `${teamId}:${item.channel}:${item.ts}`;
  const look = { kind: 'look_at_marks', subject, runAtMs: clock.now(), ifScheduled: 'replace' } as const;
  await store.transaction((tx) => tx.tasks.schedule(look));
  noteRequest({ outcome: 'accepted' });
}
