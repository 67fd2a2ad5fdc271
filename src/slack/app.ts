import { App, type Logger as BoltLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Logger } from '../operations/logger.ts';
import { classify, SlackCallError } from './calls/failure.ts';
import { fetchInTime } from './calls/fetch-in-time.ts';
import type { Connection } from './connection/connection.ts';
import type { ListenerDeps } from './listeners/deps.ts';
import { registerListeners } from './listeners/register.ts';

const CALL_TIMEOUT_MS = 10_000;

export interface SlackIdentity {
  readonly botUserId: string;
  readonly botId: string;
  readonly teamId: string;
  /** The organisation of an Enterprise Grid, or null. */
  readonly enterpriseId: string | null;
  /** With a slash at its end; null if Slack does not say. */
  readonly workspaceUrl: string | null;
}

/**
 * A client that sends each request once: the SDK's own retries would double posts, and its waiting at a rate
 * limit would hold up every channel. Retries are the due queue's business.
 */
export function createPostingClient(token: string, apiUrl: string | null, logger: BoltLogger): WebClient {
  return new WebClient(token, {
    ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
    logger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_TIMEOUT_MS,
    fetch: fetchInTime(),
  });
}

/** Who the token belongs to. Throws SlackCallError if Slack refuses it or cannot be reached. */
export async function identify(client: WebClient): Promise<SlackIdentity> {
  try {
    const answer = await client.auth.test();
    return {
      botUserId: answer.user_id ?? '',
      botId: answer.bot_id ?? '',
      teamId: answer.team_id ?? '',
      enterpriseId: answer.enterprise_id ?? null,
      workspaceUrl: answer.url ?? null,
    };
  } catch (error) {
    throw new SlackCallError('auth.test', classify(error), error);
  }
}

export interface SlackAppOptions {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly identity: SlackIdentity;
  readonly connection: Connection;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly listeners: ListenerDeps;
  /** Called when an event could not be taken in: Slack delivers it again, but not for ever. */
  readonly onFailure: () => void;
}

/** Of the extended handler: Bolt does not export their type. */
type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(options: SlackAppOptions): App {
  const app = new App({
    token: options.token,
    // Known already, so that Bolt does not ask Slack again.
    botId: options.identity.botId,
    botUserId: options.identity.botUserId,
    receiver: options.connection.receiver,
    // Its own object: Bolt and its clients write into what they are given.
    clientOptions: options.apiUrl === null ? {} : { slackApiUrl: options.apiUrl },
    logger: options.logger,
    convoStore: false,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: FailureArgs) => {
    options.log.error('listener_failed', { error });
    if (body.type === 'event_callback') options.onFailure();
    // Thrown on, so that the gesture stays unacknowledged and Slack delivers it again.
    throw error;
  });
  registerListeners(app, options.listeners);
  return app;
}
