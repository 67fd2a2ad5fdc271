import {
  type CommandGesture,
  commandBody,
  eventBody,
  formBody,
  type SlackBody,
  signedHeaders,
} from './slack-requests.ts';

export interface SignedSlackOptions {
  /** The bot's `…/slack/events`. */
  readonly url: string;
  readonly signingSecret: string;
  readonly teamId: string;
}

/** How a request arrives. Left out: as it should, for the first time. */
interface Arrival {
  /** Which repetition this is, 1 to 3, as Slack numbers them. */
  readonly retryNum?: number;
  /** `wrong`: signed with another secret. `stale`, `ahead`: signed well, ten minutes ago or to come. */
  readonly signature?: 'wrong' | 'stale' | 'ahead';
}

interface BotAnswer {
  readonly status: number;
  readonly body: string;
}

/** `triggerId` is new for each call unless given. */
type NewCommand = Omit<CommandGesture, 'triggerId'> & Partial<Pick<CommandGesture, 'triggerId'>>;

interface EventGesture {
  /** The inner event, such as `{ type: 'message', channel, user, text, ts }`. */
  readonly event: Readonly<Record<string, unknown>>;
  /** New for each call unless given. */
  readonly eventId?: string;
}

interface ActionGesture {
  readonly channelId: string;
  readonly userId: string;
  /** The message with the button, as Slack has it. */
  readonly message: { readonly ts: string; readonly thread_ts?: string };
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string;
  /** New for each call unless given. */
  readonly triggerId?: string;
  readonly responseUrl?: string;
}

export interface SignedSlack {
  sendCommand(gesture: NewCommand, arrival?: Arrival): Promise<BotAnswer>;
  sendEvent(gesture: EventGesture, arrival?: Arrival): Promise<BotAnswer>;
  sendAction(gesture: ActionGesture, arrival?: Arrival): Promise<BotAnswer>;
  /** Any content, which Slack would not send. */
  send(contentType: string, body: string, arrival?: Arrival): Promise<BotAnswer>;
}

/** What Slack does in HTTP mode: signed requests to the bot, one at a time, each with the bot's answer. */
export function createSignedSlack({ url, signingSecret, teamId }: SignedSlackOptions): SignedSlack {
  let sent = 0;
  const newId = (prefix: string) => {
    sent += 1;
    return `${prefix}${Date.now()}.${sent}`;
  };

  const send = async (request: SlackBody, arrival: Arrival = {}): Promise<BotAnswer> => {
    const aheadSeconds = arrival.signature === 'stale' ? -600 : arrival.signature === 'ahead' ? 600 : 0;
    const secret = arrival.signature === 'wrong' ? `not ${signingSecret}` : signingSecret;
    const headers = {
      ...signedHeaders(request, secret, Math.floor(Date.now() / 1000) + aheadSeconds),
      ...(arrival.retryNum === undefined
        ? {}
        : { 'X-Slack-Retry-Num': String(arrival.retryNum), 'X-Slack-Retry-Reason': 'http_timeout' }),
    };
    const response = await fetch(url, { method: 'POST', headers, body: request.body });
    return { status: response.status, body: await response.text() };
  };

  return {
    send: (contentType, body, arrival) => send({ contentType, body }, arrival),
    sendCommand: (gesture, arrival) =>
      send(commandBody(teamId, { triggerId: newId('trigger-'), ...gesture }), arrival),
    sendEvent: ({ event, eventId = newId('Ev') }, arrival) =>
      send(eventBody(teamId, { event, eventId }), arrival),
    sendAction: (gesture, arrival) =>
      send(formBody({ payload: JSON.stringify(blockActions(gesture)) }), arrival),
  };

  function blockActions(gesture: ActionGesture): unknown {
    const { message, channelId, userId } = gesture;
    return {
      type: 'block_actions',
      api_app_id: 'A0DOCSAGENT',
      team: { id: teamId, domain: 'test' },
      user: { id: userId, team_id: teamId },
      channel: { id: channelId, name: 'test' },
      container: { type: 'message', message_ts: message.ts, channel_id: channelId, is_ephemeral: false },
      message,
      trigger_id: gesture.triggerId ?? newId('trigger-'),
      response_url: gesture.responseUrl ?? 'http://127.0.0.1:9/response',
      actions: [
        {
          type: 'button',
          action_id: gesture.actionId,
          block_id: gesture.blockId,
          value: gesture.value,
          action_ts: String(Date.now() / 1000),
        },
      ],
    };
  }
}
