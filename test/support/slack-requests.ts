import { createHmac } from 'node:crypto';

export interface CommandRequest {
  readonly channelId: string;
  readonly userId: string;
  readonly text: string;
  readonly triggerId: string;
  readonly responseUrl?: string;
}

/** The body of a request as Slack sends it, and its type. */
export interface SlackBody {
  readonly contentType: string;
  readonly body: string;
}

// Bolt compares this type as a whole: with a charset it would take the body for JSON.
const FORM = 'application/x-www-form-urlencoded';
const NOWHERE = 'http://127.0.0.1:9/response';

export function formBody(fields: Readonly<Record<string, string>>): SlackBody {
  return { contentType: FORM, body: new URLSearchParams(fields).toString() };
}

export function commandBody(teamId: string, request: CommandRequest): SlackBody {
  return formBody({
    token: 'deprecated',
    team_id: teamId,
    team_domain: 'test',
    channel_id: request.channelId,
    channel_name: 'test',
    user_id: request.userId,
    user_name: 'test',
    command: '/docs-agent',
    text: request.text,
    api_app_id: 'A0DOCSAGENT',
    is_enterprise_install: 'false',
    response_url: request.responseUrl ?? NOWHERE,
    trigger_id: request.triggerId,
  });
}

/** `event` is the inner event, such as `{ type: 'message', channel, user, text, ts }`. */
export function eventBody(
  teamId: string,
  { event, eventId }: { readonly event: Readonly<Record<string, unknown>>; readonly eventId: string },
): SlackBody {
  const body = JSON.stringify({
    token: 'deprecated',
    team_id: teamId,
    api_app_id: 'A0DOCSAGENT',
    type: 'event_callback',
    event,
    event_id: eventId,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [{ enterprise_id: null, team_id: teamId, is_bot: true, is_enterprise_install: false }],
  });
  return { contentType: 'application/json', body };
}

/** The headers of a request that Slack signed at this time. */
export function signedHeaders(
  { contentType, body }: SlackBody,
  signingSecret: string,
  atSeconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const digest = createHmac('sha256', signingSecret).update(`v0:${atSeconds}:${body}`).digest('hex');
  return {
    'Content-Type': contentType,
    'X-Slack-Request-Timestamp': String(atSeconds),
    'X-Slack-Signature': `v0=${digest}`,
  };
}
