import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse as parseForm } from 'node:querystring';
import {
  type Logger as BoltLogger,
  HTTPModuleFunctions as bolt,
  HTTPReceiver,
  type Receiver,
} from '@slack/bolt';
import {
  answerRoutes,
  type BodyReader,
  limitConnections,
  pathOf,
  type Route,
  serverLimits,
} from '#runtime/http-server.ts';
import type { Store } from '#store/store.ts';
import { EVENTS_PATH } from '../../protocol/ids.ts';
import { acknowledgeAfterCommit, type RequestsOptions } from './requests.ts';
import { BadRequestError } from './shape.ts';

export interface Connection {
  readonly receiver: Receiver;
  start(address: { port: number; host: string }): Promise<number | null>;
  /** Resolves when no request is in flight. */
  stop(): Promise<void>;
  requestsInFlight(): number;
  problem(): string | null;
  warnings(): readonly string[];
  /**
   * Whether another program with the same tokens gets a share of the requests. Counts connections again if
   * the last count is older; null: never.
   */
  isSharedSince(sinceMs: number | null): Promise<boolean>;
}

export type ConnectionOptions = RequestsOptions &
  Readonly<{
    /** Null: Slack's own. */
    apiUrl: string | null;
    logger: BoltLogger;
    bodies: BodyReader;
    store: Store;
    /** Also after each reconnect: requests may have been missed. */
    onConnected: () => void;
    /** Without routes, Socket Mode opens no port. */
    routes: readonly Route[];
  }>;

const DRAIN_MS = 2_000;

export function httpConnection(signingSecret: string, options: ConnectionOptions): Connection {
  const { logger, log, clock, bodies, routes, onConnected } = options;
  const httpReceiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: EVENTS_PATH,
    // `answerToForgery` verifies it.
    signatureVerification: false,
    // True: the request is answered, so Bolt need not wait.
    processEventErrorHandler: async (args) => {
      const { error, response } = args;
      if (error instanceof BadRequestError && !response.headersSent) response.writeHead(error.status).end();
      else await bolt.defaultProcessEventErrorHandler(args);
      return true;
    },
  });
  const processRequest = httpReceiver.requestListener;
  const answerOthers = answerRoutes(routes);
  // Bolt's own routing fails on malformed URLs.
  httpReceiver.requestListener = async (request, response) => {
    if (request.method !== 'POST' || pathOf(request) !== EVENTS_PATH) return answerOthers(request, response);
    const answer = await answerToForgery(request, signingSecret, bodies);
    if (answer === null) return processRequest(request, response);
    if (answer.status !== 200) log.warn('request_refused', { ...answer });
    // Unread bytes would be taken for the next request.
    response.writeHead(answer.status, { connection: 'close' }).end();
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
    isSharedSince: () => Promise.resolve(false),
    // Bolt closes its server if accepting fails, for example with too many open files.
    problem: () => (server === null || server.listening ? null : 'the port is not open any more'),
  };
}

/** An older signature may be a replay. */
const APART_MAX_MS = 5 * 60_000;

export function recentSignature(
  signed: {
    readonly secrets: readonly (string | KeyObject)[];
    readonly prefix: string;
    readonly signatures: readonly Buffer[];
    /** In seconds. */
    readonly timestamp: string;
  },
  nowMs: number,
): { problem: string } | { covers: (content: Buffer) => boolean } {
  const agoMs = nowMs - Number(signed.timestamp) * 1000;
  if (Number.isNaN(agoMs)) return { problem: 'signed without a time' };
  if (agoMs > APART_MAX_MS) return { problem: 'signed too long ago' };
  if (agoMs < -APART_MAX_MS) return { problem: 'signed for a time to come' };
  return {
    covers: (content) =>
      signed.secrets.some((secret) => {
        const expected = createHmac('sha256', secret).update(signed.prefix).update(content).digest();
        return signed.signatures.some((signature) => timingSafeEqual(expected, signature));
      }),
  };
}

export const SIGNATURE_MISMATCH = 'signature mismatch';

const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/** Bolt's own check accepts any future time and is ten times slower. */
export function signatureIn(signingSecret: string, headers: IncomingHttpHeaders, nowMs: number) {
  const timestamp = headers['x-slack-request-timestamp'];
  const [, signature] = SIGNATURE.exec(String(headers['x-slack-signature'])) ?? [];
  if (typeof timestamp !== 'string' || signature === undefined) return { problem: 'no signature' };
  const signatures = [Buffer.from(signature, 'hex')];
  return recentSignature(
    { secrets: [signingSecret], prefix: `v0:${timestamp}:`, signatures, timestamp },
    nowMs,
  );
}

/** Slack's longest request edits a 40,000-character message: four copies, up to six bytes a character. */
const BODY_LIMIT_BYTES = 1024 * 1024;
/** Slack checks the address with a short unsigned form. */
const UNSIGNED_LIMIT_BYTES = 1024;

/**
 * Null: Slack signed it. Only JSON objects pass: Bolt fails on other content. Anybody can send a request, so
 * the headers are checked before the body is read.
 */
async function answerToForgery(
  request: IncomingMessage,
  signingSecret: string,
  bodies: BodyReader,
): Promise<{ status: number; reason?: string } | null> {
  const signed = signatureIn(signingSecret, request.headers, Date.now());
  const unsigned = 'problem' in signed ? signed.problem : null;
  const { 'content-type': type, 'content-length': length } = request.headers;
  const isShortForm = type === 'application/x-www-form-urlencoded' && Number(length) <= UNSIGNED_LIMIT_BYTES;
  if (unsigned !== null && !isShortForm) return { status: 401, reason: unsigned };
  const content = await bodies.read(request, unsigned === null ? BODY_LIMIT_BYTES : UNSIGNED_LIMIT_BYTES);
  if ('status' in content) return content;
  if ('problem' in signed || !signed.covers(content)) {
    const isAddressCheck = parseForm(content.toString()).ssl_check === '1';
    return isAddressCheck ? { status: 200 } : { status: 401, reason: unsigned ?? SIGNATURE_MISMATCH };
  }
  try {
    const body: unknown = bolt.parseHTTPRequestBody(Object.assign(request, { rawBody: content }));
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? null : { status: 400, reason: 'no object' };
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? 'no JSON' : error instanceof Error ? error.message : String(error);
    return { status: 400, reason };
  }
}
