import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { Answer, Delivery, Transport } from './delivery.ts';
import { strictApp } from './ids.ts';

const CONNECTIONS_MAX = 10;
/** After Slack has announced that it closes a connection. */
const CLOSES_AFTER_MS = 10_000;
const REFRESH_AFTER_S = 3_600;
const ENVELOPE_TYPES = { event: 'events_api', command: 'slash_commands', action: 'interactive' } as const;

export interface SocketTransport extends Transport {
  /** A new address; it is good for one connection, which is then that of this program. */
  newAddress(program: string): string;
  /** Cuts all connections without a goodbye. */
  cut(): void;
  connections(): number;
  /** Which programs may get a delivery, each named by its `apiUrlOf`; at first all. */
  routeBy(mayGet: (delivery: Delivery, program: string) => boolean): void;
  /** Announces that all connections are replaced, and closes them 10 seconds later, unless told not to. */
  refresh(reason: 'warning' | 'refresh_requested', options?: { readonly closes: boolean }): void;
  /** How new connections are received: refused for this reason, or not greeted at all. Null: as they should. */
  greetWith(answer: Greeting | null): void;
  close(): void;
}

export type Greeting = 'too_many_websockets' | 'link_disabled' | 'silence';

/** Socket Mode on the server, each envelope on one of the connections in turn. @param baseUrl `ws://…` */
export function createSocketTransport(server: Server, baseUrl: string, clock: Clock): SocketTransport {
  const sockets = new WebSocketServer({ server });
  /** Addresses that nobody has used yet, each with the program that asked for it. */
  const tickets = new Map<string, string>();
  /** The connections, and on each the waiters for acknowledgements, by envelope. */
  const waiting = new Map<WebSocket, Map<string, ((answer: Answer) => void)[]>>();
  const programs = new WeakMap<WebSocket, string>();
  let mayGet: (delivery: Delivery, program: string) => boolean = () => true;
  let turn = 0;
  let greeting: Greeting | null = null;

  sockets.on('connection', (socket, { url = '' }) => {
    socket.on('error', () => socket.terminate());
    const program = tickets.get(url);
    if (program === undefined) return socket.terminate();
    tickets.delete(url);
    const isFull = waiting.size >= CONNECTIONS_MAX;
    if (isFull || greeting === 'too_many_websockets') {
      socket.send(goodbye('too_many_websockets'));
      return socket.close();
    }
    waiting.set(socket, new Map());
    programs.set(socket, program);
    socket.on('message', (data) => acknowledge(socket, data.toString()));
    socket.on('close', () => drop(socket));
    if (greeting === 'silence') return;
    socket.send(JSON.stringify(hello(waiting.size, clock.now())));
    if (greeting === null) return;
    socket.send(goodbye(greeting));
    socket.close();
  });

  function acknowledge(socket: WebSocket, text: string): void {
    const { envelope_id: id, payload = null } = JSON.parse(text);
    waiting.get(socket)?.get(id)?.shift()?.({
      acknowledged: true,
      payload,
      program: programs.get(socket) ?? null,
    });
  }

  function drop(socket: WebSocket): void {
    const unanswered = [...(waiting.get(socket)?.values() ?? [])].flat();
    waiting.delete(socket);
    for (const resolve of unanswered) resolve({ acknowledged: false, reason: 'connection_failed' });
  }

  const cut = () => {
    for (const socket of [...waiting.keys()]) {
      drop(socket);
      socket.terminate();
    }
  };

  return {
    send: (delivery) => {
      const open = [...waiting.keys()].filter(
        (socket) => socket.readyState === socket.OPEN && mayGet(delivery, programs.get(socket) ?? ''),
      );
      const socket = open[turn % open.length];
      turn += 1;
      if (socket === undefined) return Promise.resolve({ acknowledged: false, reason: 'connection_failed' });
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const envelopes = waiting.get(socket) ?? new Map();
      envelopes.set(delivery.id, [...(envelopes.get(delivery.id) ?? []), resolve]);
      socket.send(JSON.stringify(envelope(delivery)));
      return promise;
    },
    newAddress: (program) => {
      const path = `/link/?ticket=${randomUUID()}`;
      tickets.set(path, program);
      return baseUrl + path;
    },
    cut,
    refresh: (reason, { closes } = { closes: true }) => {
      for (const socket of waiting.keys()) {
        socket.send(goodbye(reason));
        if (closes) clock.at(clock.now() + CLOSES_AFTER_MS, () => socket.close());
      }
    },
    greetWith: (answer) => {
      greeting = answer;
    },
    connections: () => waiting.size,
    routeBy: (decide) => {
      mayGet = decide;
    },
    close: () => {
      cut();
      sockets.close();
    },
  };
}

function goodbye(reason: string): string {
  return JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'strict-slack' } });
}

function hello(connections: number, nowMs: number): unknown {
  return {
    type: 'hello',
    num_connections: connections,
    connection_info: { app_id: strictApp.appId },
    debug_info: {
      host: 'strict-slack',
      started: new Date(nowMs).toISOString(),
      approximate_connection_time: REFRESH_AFTER_S,
    },
  };
}

function envelope({ id, kind, payload, attempt, retryReason }: Delivery): unknown {
  const isEvent = kind === 'event';
  return {
    envelope_id: id,
    type: ENVELOPE_TYPES[kind],
    accepts_response_payload: !isEvent,
    payload,
    ...(isEvent ? { retry_attempt: attempt, retry_reason: retryReason === null ? '' : 'timeout' } : {}),
  };
}
