import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Served at a path. */
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
 * For public servers: a sender of slow or partial requests is disconnected. Slack sends its requests at once.
 * An idle connection is kept longer than proxies keep it (60 s by default for most): if it closed just as
 * they send a request, Slack would get status 502.
 */
export const serverLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Bounds the memory of requests in flight. Further connections are closed at once. */
const MAX_CONNECTIONS = 500;
/** Idle ones among them: beyond this, the oldest are closed. */
const MAX_IDLE_CONNECTIONS = 200;

/** Idle connections, however many, never keep out those that bring a request. */
export function limitConnections(server: Server): void {
  const idle = new Set<Socket>();
  const addIdle = (socket: Socket) => {
    if (socket.destroyed) return;
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size > MAX_IDLE_CONNECTIONS) oldest?.destroy();
  };
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    socket.once('close', () => idle.delete(socket));
    addIdle(socket);
  });
  server.prependListener('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => addIdle(socket));
  });
}

/** The request's path. An absolute URL with a host is no path. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Answers requests to the routes, and 404 to anything else. */
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

/** Serves only the routes. Rejects with the system's error if the port is taken. */
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
