import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that is served at a path. */
export interface Route {
  /** Absent: GET. */
  readonly method?: 'POST';
  readonly path: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * For servers that anybody may reach: who sends a request slowly, or a part of one, is sent away. Slack sends its
 * requests at once.
 */
export const serverLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Bounds the memory of requests in flight. More connections than these are closed at once. */
const MAX_CONNECTIONS = 500;

export function limitConnections(server: Server): void {
  server.maxConnections = MAX_CONNECTIONS;
}

/** The path as the request has it. An absolute address with a host is no path. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Answers requests to the routes, and to anything else that it is not there. */
export function answerRoutes(routes: readonly Route[]): RequestListener {
  return (request, response) => {
    const path = pathOf(request);
    const route = routes.find(
      (candidate) => candidate.path === path && request.method === (candidate.method ?? 'GET'),
    );
    if (route === undefined) response.writeHead(404).end();
    else route.handle(request, response);
  };
}

/** Serves the routes and nothing else. Rejects with the system's error if the port is taken. */
export async function serveRoutes(
  routes: readonly Route[],
  address: { readonly port: number; readonly host: string },
): Promise<HttpServer> {
  const server = createServer(serverLimits, answerRoutes(routes));
  limitConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
