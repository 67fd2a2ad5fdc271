import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTPReceiver } from '@slack/bolt';
import type { Connection, ConnectionOptions } from './connection.ts';
import { refuseMalformed } from './malformed.ts';
import { acknowledgeAfterCommit } from './receivers.ts';

/** Where Slack posts its gestures. */
const PATH = '/slack/events';
/** How long requests that have begun to arrive may go on when the program stops. */
const DRAIN_MS = 2_000;

export function httpConnection(
  signingSecret: string,
  { logger, log, clock, routes, onConnected }: ConnectionOptions,
): Connection {
  const httpReceiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: PATH,
    customRoutes: routes.map(({ path, handle }) => ({ path, method: 'GET', handler: handle })),
  });
  httpReceiver.requestListener = refuseMalformed(
    { path: PATH, signingSecret, log },
    httpReceiver.requestListener,
  );
  const receiver = acknowledgeAfterCommit(httpReceiver, { log, clock });
  let server: Server | null = null;
  return {
    receiver,
    start: async (address) => {
      server = (await receiver.start(address)) as Server;
      onConnected();
      return (server.address() as AddressInfo).port;
    },
    stop: async () => {
      if (server === null) return;
      const cancel = clock.at(clock.now() + DRAIN_MS, () => server?.closeAllConnections());
      await receiver.stop();
      cancel();
    },
    problem: () => null,
  };
}
