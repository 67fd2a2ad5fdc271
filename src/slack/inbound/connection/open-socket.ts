import { type App, SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import { systemClock } from '#runtime/clock.ts';
import { parseJson } from '#runtime/exchange.ts';
import { classify } from '../../workspace/caller.ts';
import type { ConnectionOptions } from './connection.ts';

/** In real time. */
const CALL_WITHIN_MS = 10_000;
const GREETING_WITHIN_MS = 10_000;
const GOODBYE_WITHIN_MS = 1_000;
const PONG_WITHIN_MS = 5_000;

const frame = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('hello'), num_connections: z.number().optional().catch(undefined) }),
  z.looseObject({ type: z.literal('disconnect'), reason: z.string().catch('unknown') }),
]);
const LONGEST_FRAME = 10_000;

export type Socket = ReturnType<typeof openSocket>;

/** How many Slack counts for the app, this one included. */
type Greeting = Readonly<{ connections: number | null }>;

class NoGreetingError extends Error {}

export function whyNotOpened(error: unknown): string {
  return error instanceof NoGreetingError ? error.message : classify(error).code;
}

/** One Socket Mode connection, which never reconnects. `opened` resolves at Slack's greeting. */
export function openSocket(
  app: App,
  appToken: string,
  { apiUrl, logger, log }: Pick<ConnectionOptions, 'apiUrl' | 'logger' | 'log'>,
  on: {
    readonly onGoodbye: (reason: string) => void;
    readonly onClosed: () => void;
  },
) {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: { ...logger, warn: logger.debug, error: logger.debug },
    // The library's own reconnect closes the socket first and waits five seconds.
    autoReconnectEnabled: false,
    clientPingTimeout: PONG_WITHIN_MS,
    installerOptions: {
      clientOptions: {
        timeout: CALL_WITHIN_MS,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        ...(apiUrl !== null && { slackApiUrl: apiUrl }),
      },
    },
    // Unacknowledged, so Slack redelivers it. The library would acknowledge if no workspace could be looked up.
    processEventErrorHandler: async () => false,
  });
  receiver.init(app);
  const { client } = receiver;
  let greeting: Greeting | null = null;
  let refusal: string | null = null;
  let isClosing = false;

  // Intercepts Slack's messages about the connection before the library acts on them.
  const [handle] = client.listeners('ws_message');
  if (handle === undefined) throw new Error('the library receives messages in another way');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const json = typeof data === 'string' && data.length < LONGEST_FRAME ? parseJson(data) : null;
    const said = frame.safeParse(json).data;
    if (said?.type === 'hello') greeting = { connections: said.num_connections ?? null };
    // At a goodbye, the library would close the socket now.
    else if (said !== undefined && greeting !== null) return afterGreeting(() => on.onGoodbye(said.reason));
    else if (said !== undefined) refusal = said.reason;
    // The library fails on an event without content.
    Promise.resolve(handle(data, isBinary)).catch((error: unknown) => {
      log.warn('request_refused', { reason: 'not as Slack documents it', error });
    });
  });
  client.once('disconnected', () => afterGreeting(on.onClosed));

  const close = async () => {
    isClosing = true;
    // A second `disconnect` does not wait for Slack.
    const isDone = client.disconnect().then(() => true);
    if (!(await systemClock.timeout(GOODBYE_WITHIN_MS, isDone, false))) await client.disconnect();
  };

  const open = async () => {
    const started = receiver.start();
    // Even after `disconnect`, the library connects once it has the address.
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
  // Slack may send a goodbye, and close, right after its greeting.
  const afterGreeting = (then: () => void) => void opened.then(then, () => {});
  return { opened, close };
}
