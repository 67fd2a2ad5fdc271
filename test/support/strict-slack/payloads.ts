import { newId, strictApp } from './ids.ts';
import type { Block, StoredMessage } from './message.ts';
import { type Channel, type ChannelEvent, publicMessage } from './workspace.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The outer event, with an id of its own. */
export function eventCallback(channel: Channel, event: ChannelEvent, nowMs: number): Payload {
  const { teamId, appId, botUserId } = strictApp;
  return {
    token: 'deprecated',
    team_id: teamId,
    api_app_id: appId,
    type: 'event_callback',
    event: { event_ts: event.ts, ...event, channel: channel.id, channel_type: channel.type },
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
    is_ext_shared_channel: false,
  };
}

export interface CommandGesture {
  readonly channel: Channel;
  readonly user: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly responseUrl: string;
}

export function slashCommand({ channel, user, text, responseUrl }: CommandGesture): Payload {
  return {
    token: 'deprecated',
    team_id: strictApp.teamId,
    team_domain: 'strict',
    channel_id: channel.id,
    channel_name: channel.name,
    user_id: user.id,
    user_name: user.name,
    command: '/docs-agent',
    text,
    api_app_id: strictApp.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: newId('trigger-'),
  };
}

export interface PressGesture {
  readonly channel: Channel;
  readonly user: { readonly id: string; readonly name: string };
  readonly message: StoredMessage;
  readonly button: Payload & { readonly block_id: string };
  readonly responseUrl: string;
  readonly ts: string;
}

export function blockActions({ channel, user, message, button, responseUrl, ts }: PressGesture): Payload {
  const { teamId, appId } = strictApp;
  const container = { message_ts: message.ts, channel_id: channel.id, is_ephemeral: !!message.ephemeral_to };
  const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
  return {
    type: 'block_actions',
    token: 'deprecated',
    api_app_id: appId,
    team: { id: teamId, domain: 'strict' },
    enterprise: null,
    is_enterprise_install: false,
    user: { id: user.id, username: user.name, name: user.name, team_id: teamId },
    channel: { id: channel.id, name: channel.name },
    container: { type: 'message', ...container, ...thread },
    message: {
      ...publicMessage(channel, message),
      ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
    },
    state: { values: {} },
    trigger_id: newId('trigger-'),
    response_url: responseUrl,
    actions: [{ ...button, action_ts: ts }],
  };
}

/** The button with the action id, as the message shows it. Throws if there is none. */
export function findButton(
  blocks: readonly Block[],
  actionId: string,
): Payload & { readonly block_id: string } {
  const buttons = blocks.flatMap(({ block_id = '', elements, accessory }) =>
    [...(Array.isArray(elements) ? elements : []), accessory].flatMap((element) =>
      element?.action_id === undefined ? [] : [{ ...element, block_id }],
    ),
  );
  const button = buttons.find(({ action_id }) => action_id === actionId);
  if (button === undefined) {
    const present = buttons.map(({ action_id }) => action_id).join(', ');
    throw new Error(`the message has no button "${actionId}"; it has: ${present || 'none'}`);
  }
  return button;
}
