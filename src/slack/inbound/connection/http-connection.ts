import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTPModuleFunctions as bolt, HTTPReceiver } from '@slack/bolt';
import { answerRoutes, limitConnections, pathOf, serverLimits } from '../../../engine/runtime/http-server.ts';
import { EVENTS_PATH } from '../../protocol/ids.ts';
import { acknowledgeAfterCommit } from './acknowledge-after-commit.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { BadRequestError } from './shape.ts';
import { isSignedBySlack } from './verify-signature.ts';

/** How long requests that have begun to arrive may go on when the program stops. */
const DRAIN_MS = 2_000;

export function httpConnection(signingSecret: string, options: ConnectionOptions): Connection {
  const { logger, log, clock, bodies, routes, onConnected } = options;
  const httpReceiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: EVENTS_PATH,
    // `isSignedBySlack` does that.
    signatureVerification: false,
    processEventErrorHandler: answerError,
  });
  const takeIn = httpReceiver.requestListener;
  const answerOthers = answerRoutes(routes);
  const inbound = { signingSecret, bodies, log };
  // Not by Bolt's own routing, which fails on addresses that cannot be read.
  httpReceiver.requestListener = async (request, response) => {
    if (request.method !== 'POST' || pathOf(request) !== EVENTS_PATH) answerOthers(request, response);
    else if (await isSignedBySlack(request, response, inbound)) takeIn(request, response);
  };
  const receiver = acknowledgeAfterCommit(httpReceiver, { ...options, answersAfterStop: true });
  let server: Server | null = null;
  return {
    receiver,
    start: async (address) => {
      server = (await receiver.start(address, serverLimits)) as Server;
      limitConnections(server);
      onConnected();
      return (server.address() as AddressInfo).port;
    },
    stop: async () => {
      if (server === null) return;
      const cancel = clock.at(clock.now() + DRAIN_MS, () => server?.closeAllConnections());
      await receiver.stop();
      cancel();
    },
    requestsInFlight: () => receiver.requestsInFlight(),
    warnings: () => [],
    // Slack calls one address.
    isSharedSince: () => Promise.resolve(false),
    // Bolt closes its server when a connection cannot be accepted, because there are too many open files, say.
    problem: () => (server === null || server.listening ? null : 'the port is not open any more'),
  };
}

type FailureArgs = Parameters<typeof bolt.defaultProcessEventErrorHandler>[0];

/** True: the request is answered, so Bolt does not wait. */
async function answerError(args: FailureArgs): Promise<boolean> {
  const { error, response } = args;
  if (error instanceof BadRequestError && !response.headersSent) response.writeHead(error.status).end();
  else await bolt.defaultProcessEventErrorHandler(args);
  return true;
}
