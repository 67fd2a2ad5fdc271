import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { AgentApi } from '../../support/agent-api/agent-api.ts';
import { answer, type Fault, type Operation } from '../../support/agent-api/fault.ts';
import { findRoute } from '../../support/agent-api/route.ts';
import { readAll } from '../../support/fault-proxy/forward.ts';

/** `slow`: processed at once, and answered so much later. */
export type AgentFault = Exclude<Fault, 'hang'> | { readonly slowMs: number };

/** A proxy of the agent API. */
export interface AgentFront {
  readonly baseUrl: string;
  /** Asked for each request: what goes wrong with it. */
  onCall(decide: (operation: Operation, jobId: string) => AgentFault | null): void;
  /** Requests that have no answer, without those that were made slow. */
  active(): number;
  /** Requests that were made slow, and wait for their time. */
  held(): number;
  /** Breaks all connections. */
  cut(): void;
  /** Connections are refused from now on, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startAgentFront(api: AgentApi, clock: Clock): Promise<AgentFront & AsyncDisposable> {
  let decide: (operation: Operation, jobId: string) => AgentFault | null = () => null;
  const open = new Set<ServerResponse>();
  const held = new Set<ServerResponse>();
  let server: Server | null = null;
  let port = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const body = await readAll(incoming);
    const route = findRoute(method, path);
    if (route === null) throw new Error(`the program asked for ${method} ${path}`);
    const { operation, jobId } = route;
    const prompt = method === 'POST' ? String(JSON.parse(body.toString()).prompt) : null;
    const fault = decide(operation, jobId);
    const { authorization } = headers;
    const reply = isProcessed(fault)
      ? api.take({ method, path, authorization, prompt, isPrograms: true })
      : null;
    if (isSlow(fault)) await hold(response, fault.slowMs);
    answer(response, fault === null || isSlow(fault) ? undefined : fault, () => {
      if (reply === null) throw new Error('nothing was processed');
      return reply;
    });
  }

  async function hold(response: ServerResponse, ms: number): Promise<void> {
    held.add(response);
    await clock.sleep(ms);
    held.delete(response);
  }

  async function listen(): Promise<void> {
    server = createServer((request, response) => {
      open.add(response);
      response.once('close', () => {
        open.delete(response);
        held.delete(response);
      });
      handle(request, response).catch(() => response.destroy());
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }

  async function down(): Promise<void> {
    const closing = server;
    server = null;
    if (closing === null) return;
    const closed = once(closing, 'close');
    closing.close();
    closing.closeAllConnections();
    await closed;
  }

  await listen();
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    onCall: (next) => {
      decide = next;
    },
    active: () => open.size - held.size,
    held: () => held.size,
    cut: () => server?.closeAllConnections(),
    down,
    up: async () => {
      if (server === null) await listen();
    },
    [Symbol.asyncDispose]: down,
  };
}

function isSlow(fault: AgentFault | null): fault is { readonly slowMs: number } {
  return typeof fault === 'object' && fault !== null && 'slowMs' in fault;
}

function isProcessed(fault: AgentFault | null): boolean {
  return fault === null || isSlow(fault) || fault === 'reset_after' || fault === 'half_body';
}
