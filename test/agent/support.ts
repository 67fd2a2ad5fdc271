import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import {
  type AgentClient,
  type AgentClientOptions,
  AgentError,
  createAgentClient,
} from '../../src/agent/client.ts';
import type { AgentFailure } from '../../src/jobs/agent-job.ts';

export const API_KEY = 'key_secret_123';

export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  readonly baseUrl: string;
  /** The connections that were made, in order. */
  readonly sockets: readonly Socket[];
}

/** An HTTP server that answers as the test wants, for answers that the stand-in API would never give. */
export function serveHttp(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer> {
  return listen(createServer(handler));
}

/** A server that speaks no HTTP: it only lets the test have the connections. */
export function serveTcp(handler: (socket: Socket) => void): Promise<LocalServer> {
  return listen(createTcpServer(handler));
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<LocalServer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Closed at the end of the test by `await using`. */
export function openClient(
  baseUrl: string,
  options: Partial<AgentClientOptions> = {},
): AgentClient & AsyncDisposable {
  const client = createAgentClient({ baseUrl, apiKeyOf: () => API_KEY, timeoutMs: 5_000, ...options });
  return { ...client, [Symbol.asyncDispose]: () => client.close() };
}

export async function errorOf(call: Promise<unknown>): Promise<AgentError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error('the call was expected to fail');
}

export async function failureOf(call: Promise<unknown>): Promise<AgentFailure> {
  return (await errorOf(call)).failure;
}
