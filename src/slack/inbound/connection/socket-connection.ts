import type { App } from '@slack/bolt';
import { type HttpServer, serveRoutes } from '../../../engine/runtime/http-server.ts';
import { acknowledgeAfterCommit } from './acknowledge-after-commit.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { keepSocket } from './kept-socket.ts';

/** Serves Slack's requests over Socket Mode. */
export function socketConnection(appToken: string, options: ConnectionOptions): Connection {
  const { routes } = options;
  const kept = keepSocket(appToken, options);
  const socketReceiver = {
    init: (app: App) => kept.init(app),
    start: () => kept.start(),
    stop: () => kept.stop(),
  };
  const receiver = acknowledgeAfterCommit(socketReceiver, {
    ...options,
    answersAfterStop: false,
    onRedelivery: () => {
      options.onRedelivery();
      // Another program may have let it go.
      void kept.isSharedSince(Number.NEGATIVE_INFINITY);
    },
  });
  let server: HttpServer | null = null;
  return {
    receiver,
    start: async (address) => {
      server = routes.length === 0 ? null : await serveRoutes(routes, address);
      await receiver.start();
      return server?.port ?? null;
    },
    stop: async () => {
      kept.openNoMore();
      await receiver.stop();
      await server?.close();
    },
    requestsInFlight: () => receiver.requestsInFlight(),
    problem: () => kept.problem(),
    warnings: () => kept.warnings(),
    isSharedSince: (sinceMs) => kept.isSharedSince(sinceMs),
  };
}
