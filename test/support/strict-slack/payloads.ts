import { newId, strictApp } from './ids.ts';
import type { Person } from './people.ts';
import type { Channel, ChannelEvent } from './workspace.ts';

export type Payload = Readonly<Record<string, unknown>>;

export interface EventOptions {
  readonly nowMs: number;
  /** Whether people of another workspace are in the channel. */
  readonly isShared: boolean;
}

/** The outer event, with an id of its own. */
export function eventCallback(event: Payload, { nowMs, isShared }: EventOptions): Payload {
  const { teamId, appId, botUserId } = strictApp;
  return {
    token: 'deprecated',
    team_id: teamId,
    api_app_id: appId,
    type: 'event_callback',
    event,
    event_id: newId('Ev'),
    event_time: Math.floor(nowMs / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: teamId,
        user_id: botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: isShared,
  };
}

/** What happened in a channel, with the channel. */
export function inChannel(channel: Channel, event: ChannelEvent): Payload {
  const { thread_ts: rootTs } = event;
  const root = typeof rootTs === 'string' && rootTs !== event.ts ? channel.log.get(rootTs) : undefined;
  const parent = root === undefined ? {} : { parent_user_id: root.user };
  const type = event.type === 'message' ? { channel_type: channel.type } : {};
  return { event_ts: event.ts, ...event, channel: channel.id, ...parent, ...type };
}

export interface CommandRequest {
  readonly channel: Channel;
  readonly user: Person;
  readonly text: string;
  readonly responseUrl: string;
  readonly triggerId: string;
}

export function slashCommand({ channel, user, text, responseUrl, triggerId }: CommandRequest): Payload {
  return {
    token: 'deprecated',
    team_id: user.teamId,
    team_domain: 'strict',
    channel_id: channel.id,
    channel_name: channel.type === 'group' ? 'privategroup' : channel.name,
    user_id: user.id,
    user_name: user.name,
    command: '/docs-agent',
    text,
    api_app_id: strictApp.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: triggerId,
  };
}
