import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger as BoltLogger, HTTPReceiver, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../operations/clock.ts';
import { type HttpServer, type Route, serveRoutes } from '../operations/http-server.ts';
import { acknowledgeAfterCommit } from './receivers.ts';

/** How long Bolt's client waits for a pong, and before it reconnects. */
const CLIENT_PING_TIMEOUT_MS = 5_000;
/** Slack refreshes sockets every few hours, which takes seconds. Longer than this is an outage. */
const SOCKET_DOWN_LIMIT_MS = 30_000;
/** For opening a connection; without the ceiling, a pause would grow to a third of the outage. */
const OPENING_RETRIES = { forever: true, retries: 100, factor: 1.3, maxTimeout: 30_000 };

export type Transport =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string };

/** The way in for Slack's gestures, and the port for health checks. */
export interface Connection {
  readonly receiver: Receiver;
  /** Connects to Slack or listens for it. Resolves to the port that is served. */
  start(address: { readonly port: number; readonly host: string }): Promise<number>;
  /** Ends when no gesture is in hand any more. */
  stop(): Promise<void>;
  /** What is wrong with the connection now, or null. */
  problem(): string | null;
}

export interface ConnectionOptions {
  /** Null is Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly clock: Clock;
  /** Called at the start, and after each reconnect: gestures may have been missed before. */
  readonly onConnected: () => void;
  /** Served at the port, in both modes. */
  readonly routes: readonly Route[];
}

export function createConnection(transport: Transport, options: ConnectionOptions): Connection {
  return transport.kind === 'socket'
    ? socketConnection(transport.appToken, options)
    : httpConnection(transport.signingSecret, options);
}

function socketConnection(appToken: string, options: ConnectionOptions): Connection {
  const { apiUrl, logger, clock, routes, onConnected } = options;
  const socketReceiver = new SocketModeReceiver({
    appToken,
    logger,
    clientPingTimeout: CLIENT_PING_TIMEOUT_MS,
    // Not shared with the app, whose calls have other retries.
    installerOptions: {
      clientOptions: {
        retryConfig: OPENING_RETRIES,
        ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
      },
    },
  });
  let downSinceMs: number | null = clock.now();
  socketReceiver.client.on('connected', () => {
    downSinceMs = null;
    onConnected();
  });
  // The client says `close` when it has lost its socket, and `disconnected` when it gives up.
  for (const event of ['close', 'disconnected']) {
    socketReceiver.client.on(event, () => {
      downSinceMs ??= clock.now();
    });
  }
  const receiver = acknowledgeAfterCommit(socketReceiver);
  let server: HttpServer | null = null;
  return {
    receiver,
    start: async (address) => {
      server = await serveRoutes(routes, address);
      await receiver.start();
      return server.port;
    },
    stop: async () => {
      await receiver.stop();
      await server?.close();
    },
    problem: () => {
      const downMs = downSinceMs === null ? 0 : clock.now() - downSinceMs;
      return downMs > SOCKET_DOWN_LIMIT_MS
        ? `no Socket Mode connection for ${Math.round(downMs / 1000)} s`
        : null;
    },
  };
}

function httpConnection(
  signingSecret: string,
  { logger, routes, onConnected }: ConnectionOptions,
): Connection {
  const receiver = acknowledgeAfterCommit(
    new HTTPReceiver({
      signingSecret,
      logger,
      customRoutes: routes.map(({ path, handle }) => ({ path, method: 'GET', handler: handle })),
    }),
  );
  let isListening = false;
  return {
    receiver,
    start: async (address) => {
      const server = (await receiver.start(address)) as Server;
      isListening = true;
      onConnected();
      return (server.address() as AddressInfo).port;
    },
    stop: async () => {
      if (isListening) await receiver.stop();
    },
    problem: () => null,
  };
}
