import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Logger as BoltLogger,
  HTTPModuleFunctions as bolt,
  HTTPReceiver,
  type Receiver,
} from '@slack/bolt';
import type { Clock } from '../../../engine/runtime/clock.ts';
import {
  answerRoutes,
  type BodyReader,
  limitConnections,
  pathOf,
  type Route,
  serverLimits,
} from '../../../engine/runtime/http-server.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import type { Store } from '../../../store/store.ts';
import { EVENTS_PATH } from '../../protocol/ids.ts';
import { acknowledgeAfterCommit, type RequestsOptions } from './acknowledge-after-commit.ts';
import { BadRequestError, isSignedBySlack } from './request-checks.ts';

export interface Connection {
  readonly receiver: Receiver;
  /** Connects to Slack or listens for it. Resolves to the served port, or null if there is none. */
  start(address: { readonly port: number; readonly host: string }): Promise<number | null>;
  /** Resolves when no request is in flight. */
  stop(): Promise<void>;
  requestsInFlight(): number;
  problem(): string | null;
  /** Needs attention, though requests arrive. */
  warnings(): readonly string[];
  /**
   * Whether another program with the same tokens and another store takes a share of the requests. Checks
   * again unless it did after this time; null: returns the last result.
   */
  isSharedSince(sinceMs: number | null): Promise<boolean>;
}

export interface ConnectionOptions extends RequestsOptions {
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bodies: BodyReader;
  readonly store: Store;
  /** Called at the start and after each reconnect: requests may have been missed. */
  readonly onConnected: () => void;
  /** Served at the port in both modes. Without routes, Socket Mode opens no port. */
  readonly routes: readonly Route[];
}

/** How long arriving requests may take to finish when the program stops. */
const DRAIN_MS = 2_000;

export function httpConnection(signingSecret: string, options: ConnectionOptions): Connection {
  const { logger, log, clock, bodies, routes, onConnected } = options;
  const httpReceiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: EVENTS_PATH,
    // `isSignedBySlack` verifies it.
    signatureVerification: false,
    // True: the request is answered, so Bolt need not wait.
    processEventErrorHandler: async (args) => {
      const { error, response } = args;
      if (error instanceof BadRequestError && !response.headersSent) response.writeHead(error.status).end();
      else await bolt.defaultProcessEventErrorHandler(args);
      return true;
    },
  });
  const takeIn = httpReceiver.requestListener;
  const answerOthers = answerRoutes(routes);
  const inbound = { signingSecret, bodies, log };
  // Bolt's own routing fails on malformed URLs.
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
    requestsInFlight: receiver.requestsInFlight,
    warnings: () => [],
    // Over HTTP, Slack calls one address.
    isSharedSince: () => Promise.resolve(false),
    // Bolt closes its server when it cannot accept a connection, for example with too many open files.
    problem: () => (server === null || server.listening ? null : 'the port is not open any more'),
  };
}
