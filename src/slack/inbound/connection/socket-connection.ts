import { SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../../engine/runtime/clock.ts';
import { type HttpServer, serveRoutes } from '../../../engine/runtime/http-server.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';
import { classify } from '../../workspace/web-api/failure.ts';
import { acknowledgeAfterCommit } from './acknowledge-after-commit.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

type SocketClient = SocketModeReceiver['client'];

/** How long Bolt's client waits for a pong, and before it reconnects. */
const CLIENT_PING_TIMEOUT_MS = 5_000;
/** Slack refreshes sockets every few hours, within seconds. Longer than this is an outage. */
const SOCKET_DOWN_LIMIT_MS = 30_000;
/** For opening a connection. Without `maxTimeout`, a pause would grow to a third of the outage. */
const OPENING_RETRIES = { forever: true, retries: 100, factor: 1.3, maxTimeout: 30_000 };
/** Between attempts after Bolt's client has given up. */
const REOPEN_PAUSE_MS = 30_000;

export function socketConnection(appToken: string, options: ConnectionOptions): Connection {
  const { apiUrl, logger, log, clock, routes, onConnected } = options;
  const connection = { wasConnected: false, isStopped: false };
  const { debug, error } = logger;
  const socketReceiver = new SocketModeReceiver({
    appToken,
    logger: {
      ...logger,
      // Slack may close the socket first: an error to the library, but nothing to fix.
      error: (...parts) => (connection.isStopped ? debug : error)(...parts),
    },
    clientPingTimeout: CLIENT_PING_TIMEOUT_MS,
    // Not shared with the app, whose calls have other retries.
    installerOptions: {
      clientOptions: {
        retryConfig: OPENING_RETRIES,
        ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
      },
    },
  });
  const { client } = socketReceiver;
  keepReconnecting(client, connection, clock, log);
  let downSinceMs: number | null = null;
  client.on('connected', () => {
    connection.wasConnected = true;
    downSinceMs = null;
    onConnected();
  });
  // `close`: the client has lost its socket. `disconnected`: it gives up.
  for (const event of ['close', 'disconnected']) {
    client.on(event, () => {
      downSinceMs ??= clock.now();
    });
  }
  const receiver = acknowledgeAfterCommit(socketReceiver, { ...options, answersAfterStop: false });
  let server: HttpServer | null = null;
  return {
    receiver,
    start: async (address) => {
      server = routes.length === 0 ? null : await serveRoutes(routes, address);
      await receiver.start();
      return server?.port ?? null;
    },
    stop: async () => {
      connection.isStopped = true;
      await receiver.stop();
      await server?.close();
    },
    requestsInFlight: () => receiver.requestsInFlight(),
    problem: () => {
      if (!connection.wasConnected) return 'no Socket Mode connection yet';
      const downMs = downSinceMs === null ? 0 : clock.now() - downSinceMs;
      return downMs > SOCKET_DOWN_LIMIT_MS
        ? `no Socket Mode connection for ${Math.round(downMs / 1000)} s`
        : null;
    },
  };
}

/**
 * Bolt's client gives up for good when a reconnect meets a refused token, or an error that is not Slack's: an
 * administrator may fix that without a restart. Only a failed first start is an error.
 */
function keepReconnecting(
  client: SocketClient,
  connection: { readonly wasConnected: boolean; readonly isStopped: boolean },
  clock: Clock,
  log: Logger,
): void {
  const start = client.start.bind(client);
  client.start = async () => {
    for (;;) {
      try {
        return await start();
      } catch (error) {
        if (!connection.wasConnected || connection.isStopped) throw error;
        log.error('socket_not_reopened', { reason: classify(error).code });
        await clock.sleep(REOPEN_PAUSE_MS);
        if (connection.isStopped) throw error;
      }
    }
  };
}
