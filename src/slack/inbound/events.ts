import type { ReactionAddedEvent, ReactionRemovedEvent } from '@slack/types';
import { withoutSkinTone } from '../protocol/ids.ts';
import { isAdmitted } from './admission.ts';
import { noteRequest } from './connection/requests.ts';
import type { EventListeners, Listener } from './listener.ts';

type InChannel = Readonly<{ event: { readonly channel: string } }>;

const channelOpened: Listener<InChannel> = async (deps, { event: { channel: channelId } }) => {
  const { store, clock, log, teamId } = deps;
  await store.transaction((tx) => tx.places.opened({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  log.info('channel_opened', { team_id: teamId, channel_id: channelId });
  deps.lookForMissed();
};

type Reaction = Readonly<{ event: ReactionAddedEvent | ReactionRemovedEvent }>;

/** The message's current reactions decide, in whatever order events arrive. */
const reactionChanged: Listener<Reaction> = async (deps, { event }) => {
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

export const events: EventListeners = {
  app_home_opened: async ({ store, clock, teamId }, { event }) => {
    if (event.tab !== 'home') return;
    await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
    noteRequest({ outcome: 'accepted' });
  },

  /** Waiting posts can go out. */
  member_joined_channel: async (deps, args) => {
    const { event } = args;
    if (event.user !== deps.botUserId) return;
    // Slack shows the channel to the bot only now.
    deps.access.shared.forget(event.channel);
    await channelOpened(deps, args);
  },

  channel_shared: async (deps, { event }) => {
    deps.access.shared.nowShared(event.channel);
    noteRequest({ outcome: 'accepted' });
    deps.log.info('channel_shared', { team_id: deps.teamId, channel_id: event.channel });
  },

  channel_unarchive: channelOpened,
  group_unarchive: channelOpened,
  reaction_added: reactionChanged,
  reaction_removed: reactionChanged,
};
