import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { noteRequest } from './connection/request-log.ts';
import type { ListenerDeps } from './deps.ts';

type Args<Name extends string> = SlackEventMiddlewareArgs<Name> & AllMiddlewareArgs;

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
  noteChange(deps, 'channel_shared', event.channel);
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
  noteChange(deps, 'channel_deleted', channelId);
}

async function opened(deps: ListenerDeps, channelId: string): Promise<void> {
  const { store, clock, teamId } = deps;
  await store.transaction((tx) => tx.places.opened({ teamId, channelId }, clock.now()));
  noteChange(deps, 'channel_opened', channelId);
  deps.lookForMissed();
}

function noteChange({ log, teamId }: ListenerDeps, event: string, channelId: string): void {
  noteRequest({ outcome: 'accepted' });
  log.info(event, { team_id: teamId, channel_id: channelId });
}
