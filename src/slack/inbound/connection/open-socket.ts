import {
  type App,
  type Logger as BoltLogger,
  defaultProcessEventErrorHandler,
  SocketModeReceiver,
} from '@slack/bolt';
import { z } from 'zod';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { parseJson } from '../../../engine/runtime/exchange.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import { classify } from '../../workspace/web-api/failure.ts';

/** In real time, as for all network calls. */
const CALL_WITHIN_MS = 10_000;
const GREETING_WITHIN_MS = 10_000;
const GOODBYE_WITHIN_MS = 1_000;
/** How long Slack may take to answer a ping. */
const PONG_WITHIN_MS = 5_000;

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly app: App;
  /** Slack is about to close the socket, which takes requests until then. */
  readonly onGoodbye: (reason: string) => void;
  readonly onClosed: () => void;
}

/** One Socket Mode connection, which never reconnects. */
export interface Socket {
  /** Slack's greeting, after which requests arrive. Rejects, and closes everything, if there is none. */
  readonly opened: Promise<Greeting>;
  /** At any time, even while it opens. */
  close(): Promise<void>;
}

export interface Greeting {
  /** How many connections Slack counts for the app, this one included; null: not said. */
  readonly connections: number | null;
}

/** Slack greeted with a refusal, or not at all. */
class NoGreetingError extends Error {}

/** Slack's error code, or our word for why a connection could not be opened. */
export function whyNotOpened(error: unknown): string {
  return error instanceof NoGreetingError ? error.message : classify(error).code;
}

export function openSocket(options: SocketOptions): Socket {
  const { appToken, apiUrl, logger, log, app, onGoodbye, onClosed } = options;
  const receiver = new SocketModeReceiver({
    appToken,
    // Its "errors" are closed sockets, which the keeper of the sockets logs.
    logger: { ...logger, warn: logger.debug, error: logger.debug },
    // The library's own reconnect closes the socket first and waits five seconds.
    autoReconnectEnabled: false,
    clientPingTimeout: PONG_WITHIN_MS,
    installerOptions: {
      clientOptions: {
        timeout: CALL_WITHIN_MS,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
      },
    },
    processEventErrorHandler: async (args) => {
      // An acknowledgement fails with its socket; Slack then redelivers the event.
      if (await defaultProcessEventErrorHandler(args)) await args.event.ack().catch(() => {});
      return false;
    },
  });
  receiver.init(app);
  const { client } = receiver;
  let greeting: Greeting | null = null;
  let refusal: string | null = null;
  let isClosing = false;
  let isClosed = false;

  interceptFrames(client, log, (said) => {
    if (said.type === 'hello') greeting = { connections: said.num_connections ?? null };
    else if (greeting === null) refusal = said.reason;
    else {
      afterGreeting(() => onGoodbye(said.reason));
      // The library would close the socket now.
      return 'taken';
    }
    return 'passed on';
  });
  client.on('disconnected', () => {
    if (!isClosed) afterGreeting(onClosed);
    isClosed = true;
  });

  const close = async () => {
    isClosing = true;
    // A second call does not wait for the other side.
    const isDone = client.disconnect().then(() => true);
    if (!(await systemClock.timeout(GOODBYE_WITHIN_MS, isDone, false))) await client.disconnect();
  };

  const open = async (): Promise<Greeting> => {
    const started = receiver.start();
    // Told to disconnect while it asks for the address, the library connects anyway.
    const closeIfLate = () => {
      if (isClosing) void client.disconnect();
    };
    started.then(closeIfLate, () => {});
    const answer = systemClock.timeout(CALL_WITHIN_MS + GREETING_WITHIN_MS, started, 'late');
    const outcome = await answer.catch((error: unknown) => {
      // The library rejects without an error if the socket closes.
      throw error ?? new NoGreetingError(refusal ?? 'closed');
    });
    if (outcome !== 'late' && greeting !== null) return greeting;
    await close();
    throw new NoGreetingError('no_greeting');
  };
  const opened = open();
  // Slack may say goodbye, and close, right with its greeting.
  const afterGreeting = (then: () => void) => void opened.then(then, () => {});
  return { opened, close };
}

const frame = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('hello'), num_connections: z.number().optional().catch(undefined) }),
  z.looseObject({ type: z.literal('disconnect'), reason: z.string().catch('unknown') }),
]);
/** Frames without a request are short. */
const LONGEST_FRAME = 10_000;

/** Passes on Slack's own messages about the connection before the library acts on them. */
function interceptFrames(
  client: SocketModeReceiver['client'],
  log: Logger,
  onFrame: (said: z.infer<typeof frame>) => 'taken' | 'passed on',
): void {
  const [handle] = client.listeners('ws_message');
  if (handle === undefined) throw new Error('the library has another way to take messages in');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const json = typeof data === 'string' && data.length < LONGEST_FRAME ? parseJson(data) : null;
    const said = frame.safeParse(json).data;
    if (said !== undefined && onFrame(said) === 'taken') return;
    // It fails on an event without content.
    Promise.resolve(handle(data, isBinary)).catch((error: unknown) => {
      log.warn('request_refused', { reason: 'not as Slack documents it', error });
    });
  });
}
