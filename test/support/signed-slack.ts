import {
  type CommandRequest,
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
  /** `wrong`: signed with another secret. `stale`: signed well, ten minutes ago. */
  readonly signature?: 'wrong' | 'stale';
}

interface BotAnswer {
  readonly status: number;
  readonly body: string;
}

/** `triggerId` is new for each call unless given. */
type NewCommand = Omit<CommandRequest, 'triggerId'> & Partial<Pick<CommandRequest, 'triggerId'>>;

interface EventRequest {
  /** The inner event, such as `{ type: 'message', channel, user, text, ts }`. */
  readonly event: Readonly<Record<string, unknown>>;
  /** New for each call unless given. */
  readonly eventId?: string;
}

interface ActionRequest {
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

export type SignedSlack = ReturnType<typeof createSignedSlack>;

/** What Slack does in HTTP mode: signed requests to the bot, one at a time, each with the bot's answer. */
export function createSignedSlack({ url, signingSecret, teamId }: SignedSlackOptions) {
  let sent = 0;
  const newId = (prefix: string) => {
    sent += 1;
    return `${prefix}${Date.now()}.${sent}`;
  };

  const send = async (request: SlackBody, arrival: Arrival = {}): Promise<BotAnswer> => {
    const ageSeconds = arrival.signature === 'stale' ? 600 : 0;
    const secret = arrival.signature === 'wrong' ? `not ${signingSecret}` : signingSecret;
    const headers = {
      ...signedHeaders(request, secret, Math.floor(Date.now() / 1000) - ageSeconds),
      ...(arrival.retryNum === undefined
        ? {}
        : { 'X-Slack-Retry-Num': String(arrival.retryNum), 'X-Slack-Retry-Reason': 'http_timeout' }),
    };
    const response = await fetch(url, { method: 'POST', headers, body: request.body });
    return { status: response.status, body: await response.text() };
  };

  return {
    /** Any content, which Slack would not send. */
    send: (contentType: string, body: string, arrival?: Arrival) => send({ contentType, body }, arrival),
    sendCommand: (request: NewCommand, arrival?: Arrival) =>
      send(commandBody(teamId, { triggerId: newId('trigger-'), ...request }), arrival),
    sendEvent: ({ event, eventId = newId('Ev') }: EventRequest, arrival?: Arrival) =>
      send(eventBody(teamId, { event, eventId }), arrival),
    sendAction: (request: ActionRequest, arrival?: Arrival) =>
      send(formBody({ payload: JSON.stringify(blockActions(request)) }), arrival),
  };

  function blockActions(request: ActionRequest): unknown {
    const { message, channelId, userId } = request;
    return {
      type: 'block_actions',
      api_app_id: 'A0DOCSAGENT',
      team: { id: teamId, domain: 'test' },
      user: { id: userId, team_id: teamId },
      channel: { id: channelId, name: 'test' },
      container: { type: 'message', message_ts: message.ts, channel_id: channelId, is_ephemeral: false },
      message,
      trigger_id: request.triggerId ?? newId('trigger-'),
      response_url: request.responseUrl ?? 'http://127.0.0.1:9/response',
      actions: [
        {
          type: 'button',
          action_id: request.actionId,
          block_id: request.blockId,
          value: request.value,
          action_ts: (Date.now() / 1000).toFixed(6),
        },
      ],
    };
  }
}
