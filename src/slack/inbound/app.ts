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
  /** Null is Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly listeners: SharedDeps;
  /** Called when an event could not be taken in: Slack delivers it again, but not for ever. */
  readonly onFailure: () => void;
}

/** Of the extended handler: Bolt does not export their type. */
type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(options: SlackAppOptions): App {
  const app = new App({
    // Without a token: Bolt would keep a client for each token that it ever saw, and none is used.
    authorize: async (_source, body) => {
      const workspace = await options.workspaces.ofRequest(body);
      const { teamId, botId, botUserId } = workspace;
      return { teamId, botId, botUserId, workspace };
    },
    receiver: options.connection.receiver,
    // For answers to requests; Bolt calls nothing else.
    clientOptions: { fetch: answerFetch(options.apiUrl) },
    logger: options.logger,
    convoStore: false,
    // Nor for each token that comes with a step of a workflow.
    attachFunctionToken: false,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: FailureArgs) => {
    // Slack did not say what had to be known first: whether the person may do this, say.
    const isSlacks = 'original' in error && error.original instanceof SlackCallError;
    options.log[isSlacks ? 'warn' : 'error']('listener_failed', { error });
    if (body.type === 'event_callback') options.onFailure();
    // Thrown on, so that the request stays unacknowledged and Slack delivers it again.
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
