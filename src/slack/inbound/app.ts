import { App, type Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from '../../engine/runtime/logger.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import { answerFetch } from '../workspace/web-api/http.ts';
import type { Workspaces } from '../workspace/workspace.ts';
import { type Connection, type ConnectionOptions, httpConnection } from './connection/connection.ts';
import { socketConnection } from './connection/kept-socket.ts';
import type { SharedDeps } from './deps.ts';
import { registerListeners } from './routes.ts';

export interface SlackAppOptions {
  readonly workspaces: Workspaces;
  readonly connection: Connection;
  /** Null: Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly listeners: SharedDeps;
  /** Called when an event could not be processed. Slack redelivers it, up to three times. */
  readonly onFailure: () => void;
}

/** Bolt does not export the type of its extended error handler. */
type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(options: SlackAppOptions): App {
  const app = new App({
    // No token: Bolt would keep an unused client for every token it saw.
    authorize: async (_source, body) => {
      const workspace = await options.workspaces.ofRequest(body);
      const { teamId, botId, botUserId } = workspace;
      return { teamId, botId, botUserId, workspace };
    },
    receiver: options.connection.receiver,
    // Used for answers to requests only.
    clientOptions: { fetch: answerFetch(options.apiUrl) },
    logger: options.logger,
    convoStore: false,
    // Nor for every token of a workflow step.
    attachFunctionToken: false,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: FailureArgs) => {
    // Slack did not answer a check that comes first, such as whether the person may do this.
    const isSlacks = 'original' in error && error.original instanceof SlackCallError;
    options.log[isSlacks ? 'warn' : 'error']('listener_failed', { error });
    if (body.type === 'event_callback') options.onFailure();
    // Rethrown: the request stays unacknowledged, so Slack redelivers it.
    throw error;
  });
  registerListeners(app, options.listeners);
  return app;
}

export type Transport =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string };

export function createConnection(transport: Transport, options: ConnectionOptions): Connection {
  return transport.kind === 'socket'
    ? socketConnection(transport.appToken, options)
    : httpConnection(transport.signingSecret, options);
}
