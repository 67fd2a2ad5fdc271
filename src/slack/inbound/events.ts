import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { withoutSkinTone } from '../protocol/ids.ts';
import { noteRequest } from './connection/requests.ts';
import { isAdmitted } from './door.ts';
import type { Listener, ListenerDeps } from './listener.ts';

type Args<Name extends string> = SlackEventMiddlewareArgs<Name> & AllMiddlewareArgs;

export const homeOpened: Listener<Args<'app_home_opened'>> = async ({ store, clock, teamId }, { event }) => {
  if (event.tab !== 'home') return;
  await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
};

/** Waiting posts can go out. */
export const memberJoined: Listener<Args<'member_joined_channel'>> = async (deps, { event }) => {
  if (event.user !== deps.botUserId) return;
  // Slack shows the channel to the bot only now.
  deps.access.shared.forget(event.channel);
  await channelOpened(deps, event.channel);
};

export const channelShared: Listener<Args<'channel_shared'>> = async (deps, { event }) => {
  deps.access.shared.nowShared(event.channel);
  noteRequest({ outcome: 'accepted' });
  deps.log.info('channel_shared', { team_id: deps.teamId, channel_id: event.channel });
};

export const channelUnarchived: Listener<Args<'channel_unarchive' | 'group_unarchive'>> = (deps, { event }) =>
  channelOpened(deps, event.channel);

export const channelDeleted: Listener<Args<'channel_deleted' | 'group_deleted'>> = async (
  deps,
  { event },
) => {
  const { channel: channelId } = event;
  const { store, clock, log, teamId } = deps;
  await store.transaction((tx) => tx.places.deleted({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  log.info('channel_deleted', { team_id: teamId, channel_id: channelId });
};

async function channelOpened({ store, clock, log, teamId, lookForMissed }: ListenerDeps, channelId: string) {
  await store.transaction((tx) => tx.places.opened({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  log.info('channel_opened', { team_id: teamId, channel_id: channelId });
  lookForMissed();
}

/** The message's current reactions decide, in whatever order events arrive. */
export const reactionChanged: Listener<Args<'reaction_added' | 'reaction_removed'>> = async (
  deps,
  { event },
) => {
  const { type, user: userId, reaction, item } = event;
  const { store, clock, teamId, access } = deps;
  const isMessage = item?.type === 'message';
  const emoji = isMessage
    ? deps.newContext().rulesOf(teamId).channels.get(item.channel)?.reaction
    : undefined;
  if (emoji === undefined || withoutSkinTone(reaction) !== emoji) return noteRequest({ outcome: 'ignored' });
  const { channel: channelId, ts } = item;
  if (type === 'reaction_added') {
    // A refused member gets one answer; people from other workspaces get none.
    if ((await access.refusal(userId, channelId)) === 'other_workspace') return;
    const marking = { userId, channelId, threadTs: null };
    if (!(await isAdmitted(deps, marking, `reaction:${channelId}:${userId}`))) return;
  }
  const subject = `${teamId}:${channelId}:${ts}`;
  const look = { kind: 'look_at_marks', subject, runAtMs: clock.now(), ifScheduled: 'replace' } as const;
  await store.transaction((tx) => tx.tasks.schedule(look));
  noteRequest({ outcome: 'accepted' });
};
