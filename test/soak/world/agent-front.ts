import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findRoute } from '../../support/agent-api/route.ts';
import { answerCall } from '../../support/fault-proxy/answer.ts';
import type { Fault } from '../../support/fault-proxy/fault.ts';
import { type Exchange, forward, readAll } from '../../support/fault-proxy/forward.ts';

/** A create or message call as it arrived at the agent API. */
export interface Attempt {
  readonly kind: 'create' | 'message';
  /** By which the agent API recognises a repeat; null: it had none. */
  readonly key: string | null;
  readonly prompt: string;
  /** The job that a message was for, or that a create call made; null if it made none. */
  readonly agentJobId: string | null;
  readonly atMs: number;
  /** The agent API did it. */
  readonly isTaken: boolean;
  /** The caller's answer; `unclear`: neither yes nor no. */
  readonly answer: 'accepted' | 'refused' | 'unclear';
}

/** Stands before the agent API, lets calls go wrong, and remembers what arrived and what became of it. */
export interface AgentFront extends AsyncDisposable {
  readonly baseUrl: string;
  readonly attempts: readonly Attempt[];
  /** How many calls of each kind arrived, and how many broke off before that: nobody knows of what. */
  readonly counts: ReadonlyMap<string, number>;
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
  const attempts: Attempt[] = [];
  const counts = new Map<string, number>();
  let isReadRefused = false;

  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const route = findRoute(request.method ?? '', path);
    const kind = route?.operation ?? 'get';
    const atMs = Date.now();
    const body = await readAll(request).catch((error: unknown) => {
      count(`${kind} that broke off before it arrived`);
      throw error;
    });
    count(kind);
    const isRefused = kind === 'get' && isReadRefused;
    if (isRefused) isReadRefused = false;
    const fault = isRefused ? MISTAKEN_LIMIT : nextFault();
    let exchange = null as Exchange | null;
    const pass = async () => {
      exchange = await forward(request, new URL(path, target).href, body);
      return kind === 'get' ? withLength(distort(exchange)) : exchange;
    };
    // The caller may go away, or die, while its call is carried out.
    const closed = once(response, 'close');
    await answerCall(response, fault, pass);
    if (kind === 'get' || kind === 'cancel') return;
    await closed;
    const isTaken = exchange !== null && exchange.status < 300;
    attempts.push({
      kind,
      key: request.headers['idempotency-key']?.toString() ?? null,
      prompt: JSON.parse(body.toString()).prompt,
      agentJobId: kind === 'message' ? (route?.jobId ?? null) : createdId(exchange),
      atMs,
      isTaken,
      answer: answerOf(fault, response, isTaken),
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    attempts,
    counts,
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

function createdId(exchange: Exchange | null): string | null {
  return exchange?.status === 201 ? JSON.parse(exchange.body.toString()).id : null;
}

function answerOf(fault: Fault | null, response: ServerResponse, isTaken: boolean): Attempt['answer'] {
  if (typeof fault === 'object' && fault !== null && 'status' in fault && fault.status < 500)
    return 'refused';
  return fault === null && isTaken && response.writableFinished ? 'accepted' : 'unclear';
}
