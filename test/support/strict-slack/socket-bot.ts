import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StrictSlack } from '../strict-slack.ts';
import { callerOf } from './caller.ts';

export interface Envelope {
  readonly type: string;
  readonly envelope_id: string;
  readonly retry_attempt?: number;
  readonly retry_reason?: string;
  readonly payload: Readonly<Record<string, unknown>> & {
    readonly event_id?: string;
    readonly event?: Readonly<Record<string, unknown>>;
  };
}

/** One Socket Mode connection, which acknowledges only what the test asks for. */
export interface SocketBot {
  /** All that came after the greeting. */
  readonly envelopes: readonly Envelope[];
  /** The next envelope that was not taken yet. */
  next(): Promise<Envelope>;
  acknowledge(envelope: Envelope, payload?: unknown): void;
  close(): Promise<void>;
}

export async function connectBot(slack: StrictSlack): Promise<SocketBot> {
  const { url } = await callerOf(slack, slack.appToken)('apps.connections.open');
  const socket = new WebSocket(String(url));
  const envelopes: Envelope[] = [];
  let taken = 0;
  let arrived = () => {};
  const greeting = Promise.withResolvers<void>();
  socket.on('error', greeting.reject);
  socket.on('close', () => greeting.reject(new Error('refused')));
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === 'hello') greeting.resolve();
    else if (frame.type === 'disconnect') greeting.reject(new Error(frame.reason));
    else envelopes.push(frame);
    arrived();
  });
  await greeting.promise;
  return {
    envelopes,
    next: async () => {
      for (;;) {
        const envelope = envelopes[taken];
        if (envelope !== undefined) {
          taken += 1;
          return envelope;
        }
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    acknowledge: ({ envelope_id }, payload) => {
      socket.send(JSON.stringify({ envelope_id, ...(payload === undefined ? {} : { payload }) }));
    },
    close: async () => {
      socket.close();
      if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
    },
  };
}
