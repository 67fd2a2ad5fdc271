import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { noteRequest } from './connection/request-log.ts';
import type { ListenerDeps } from './deps.ts';

type Args<Name extends string> = SlackEventMiddlewareArgs<Name> & AllMiddlewareArgs;

/** Somebody joined a channel. If it is the bot, waiting posts go out, and replies may have been missed. */
export function joined(deps: ListenerDeps) {
  return async ({ event: { user, channel } }: Args<'member_joined_channel'>): Promise<void> => {
    if (user !== deps.botUserId) return;
    // Slack shows the channel to the bot only now.
    deps.access.shared.forget(channel);
    await placeOpened(deps, channel);
  };
}

/** People of another organisation can now see the channel. */
export function nowShared({ access, teamId, log }: ListenerDeps) {
  return async ({ event }: Args<'channel_shared'>): Promise<void> => {
    access.shared.nowShared(event.channel);
    noteRequest({ outcome: 'accepted' });
    log.info('channel_shared', { team_id: teamId, channel_id: event.channel });
  };
}

export function unarchived(deps: ListenerDeps) {
  return ({ event }: Args<'channel_unarchive' | 'group_unarchive'>): Promise<void> =>
    placeOpened(deps, event.channel);
}

export function deleted({ store, clock, teamId, log }: ListenerDeps) {
  return async ({ event }: Args<'channel_deleted' | 'group_deleted'>): Promise<void> => {
    const channelId = event.channel;
    await store.transaction((tx) => tx.places.deleted({ teamId, channelId }, clock.now()));
    noteRequest({ outcome: 'accepted' });
    log.info('channel_deleted', { team_id: teamId, channel_id: channelId });
  };
}

async function placeOpened({ store, clock, teamId, log, lookForMissed }: ListenerDeps, channelId: string) {
  await store.transaction((tx) => tx.places.opened({ teamId, channelId }, clock.now()));
  noteRequest({ outcome: 'accepted' });
  log.info('channel_opened', { team_id: teamId, channel_id: channelId });
  lookForMissed();
}
