import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findRoute } from '../../support/agent-api/route.ts';
import { answerCall } from '../../support/fault-proxy/answer.ts';
import type { Fault } from '../../support/fault-proxy/fault.ts';
import { type Exchange, forward, readAll } from '../../support/fault-proxy/forward.ts';

/** Stands before the agent API, and lets calls go wrong. */
export interface AgentFront extends AsyncDisposable {
  readonly baseUrl: string;
  /** When the last create or message call arrived; 0: none has. */
  lastWriteAtMs(): number;
  /** How many calls there were. */
  count(): number;
  /** Answers the next read with 429 and `Retry-After: 60000`. */
  refuseRead(): void;
}

const MISTAKEN_LIMIT: Fault = {
  status: 429,
  headers: { 'retry-after': '60000' },
  body: '{"error":"Slow down"}',
};

/** @param distort what the caller gets in place of an answer about a job */
export async function startAgentFront(
  target: string,
  nextFault: () => Fault | null,
  distort: (exchange: Exchange) => Exchange,
): Promise<AgentFront> {
  let lastWriteAtMs = 0;
  let count = 0;
  let isReadRefused = false;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const route = findRoute(request.method ?? '', path);
    const kind = route?.operation ?? 'get';
    const body = await readAll(request);
    count += 1;
    const isRefused = kind === 'get' && isReadRefused;
    if (isRefused) isReadRefused = false;
    const fault = isRefused ? MISTAKEN_LIMIT : nextFault();
    const pass = async () => {
      const exchange = await forward(request, new URL(path, target).href, body);
      return kind === 'get' ? withLength(distort(exchange)) : exchange;
    };
    if (kind === 'create' || kind === 'message') lastWriteAtMs = Date.now();
    await answerCall(response, fault, pass);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    lastWriteAtMs: () => lastWriteAtMs,
    count: () => count,
    refuseRead: () => {
      isReadRefused = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function withLength(exchange: Exchange): Exchange {
  const { 'transfer-encoding': _, ...headers } = exchange.headers;
  return { ...exchange, headers: { ...headers, 'content-length': String(exchange.body.length) } };
}
