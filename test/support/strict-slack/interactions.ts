import { strictApp } from './ids.ts';
import type { StoredMessage } from './message.ts';
import type { Payload } from './payloads.ts';
import type { Person } from './people.ts';
import type { SlackView } from './views.ts';
import { type Channel, publicMessage } from './workspace.ts';

const { teamId, appId } = strictApp;

interface Interaction {
  readonly user: Person;
  readonly triggerId: string;
}

interface AtMessage extends Interaction {
  readonly channel: Channel;
  readonly message: StoredMessage;
  readonly responseUrl: string;
  readonly ts: string;
}

export interface Press extends AtMessage {
  /** The element, with its block and with what was chosen. */
  readonly action: Payload;
}

/** A press at a message; what only one person sees has none. */
export function blockActions({ channel, user, message, action, responseUrl, triggerId, ts }: Press): Payload {
  const isEphemeral = message.ephemeral_to !== undefined;
  const container = { message_ts: message.ts, channel_id: channel.id, is_ephemeral: isEphemeral };
  const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
  const metadata = message.metadata === undefined ? {} : { metadata: message.metadata };
  return {
    type: 'block_actions',
    ...common(user),
    channel: { id: channel.id, name: channel.name },
    container: { type: 'message', ...container, ...thread },
    ...(isEphemeral ? {} : { message: { ...publicMessage(channel, message), ...metadata } }),
    state: { values: {} },
    trigger_id: triggerId,
    response_url: responseUrl,
    actions: [{ ...action, action_ts: ts }],
  };
}

export interface ViewPress extends Interaction {
  readonly view: SlackView;
  readonly action: Payload;
  readonly ts: string;
}

/** A press in a modal or at home. */
export function viewActions({ user, view, action, triggerId, ts }: ViewPress): Payload {
  return {
    type: 'block_actions',
    ...common(user),
    team: { id: user.teamId, domain: 'strict' },
    container: { type: 'view', view_id: view.id },
    view,
    trigger_id: triggerId,
    actions: [{ ...action, action_ts: ts }],
  };
}

export function viewSubmission({
  user,
  view,
  triggerId,
}: Interaction & { readonly view: SlackView }): Payload {
  return {
    type: 'view_submission',
    ...common(user),
    team: { id: user.teamId, domain: 'strict' },
    trigger_id: triggerId,
    view,
    response_urls: [],
  };
}

export function messageAction({
  channel,
  user,
  message,
  callbackId,
  responseUrl,
  triggerId,
  ts,
}: AtMessage & { readonly callbackId: string }): Payload {
  return {
    type: 'message_action',
    ...common(user),
    callback_id: callbackId,
    trigger_id: triggerId,
    response_url: responseUrl,
    channel: { id: channel.id, name: channel.name },
    message_ts: message.ts,
    message: publicMessage(channel, message),
    action_ts: ts,
  };
}

function common({ id, name, teamId: userTeam }: Person): Payload {
  return {
    token: 'deprecated',
    api_app_id: appId,
    team: { id: teamId, domain: 'strict' },
    enterprise: null,
    is_enterprise_install: false,
    user: { id, username: name, name, team_id: userTeam },
  };
}
