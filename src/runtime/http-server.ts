import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Route = Readonly<{
  method?: 'POST';
  path: string;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
}>;

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Disconnects senders of slow or partial requests: Slack sends at once. Keeps idle connections longer than
 * most proxies do (60 s): if one closed just as a proxy sends a request, Slack would get status 502.
 */
export const serverLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Closes further connections at once. */
const MAX_CONNECTIONS = 500;
/** Beyond this, the oldest are closed. */
const MAX_IDLE_CONNECTIONS = 200;

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

/** Without the query. An absolute URL is not shortened to its path. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

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

/** Rejects with the system's error if the port is taken. */
export async function serve(
  listener: RequestListener,
  address: { readonly port: number; readonly host: string },
  limits: ServerOptions = serverLimits,
): Promise<HttpServer> {
  const server = createServer(limits, listener);
  limitConnections(server);
  await new Promise<void>((resolve, reject) => {
    // Later ones, as of too many open files, cost a connection.
    server.on('error', reject);
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

export function serveRoutes(routes: readonly Route[], address: Parameters<typeof serve>[1]) {
  return serve(answerRoutes(routes), address);
}

/** For requests from this machine. */
export function localAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

export type Unread = Readonly<{
  status: 400 | 413 | 503;
  reason: string;
}>;

export type BodyReader = ReturnType<typeof createBodyReader>;

/** A small share of the smallest machine in docs/operations/deploy.md. */
const TOGETHER_BYTES = 32 * 1024 * 1024;
/** Cost of a chunk's object besides its bytes: a sender decides how small chunks are. */
const PIECE_BYTES = 256;

/**
 * Bounds the memory of all unfinished bodies. Without room, drops the body that has been arriving longest:
 * Slack sends at once.
 */
export function createBodyReader(togetherBytes = TOGETHER_BYTES) {
  const readings = new Set<{ giveUp: () => void }>();
  let heldBytes = 0;

  const makeRoom = () => {
    for (const reading of readings) {
      if (heldBytes <= togetherBytes) return;
      reading.giveUp();
    }
  };

  return {
    read: (request: IncomingMessage, limitBytes: number): Promise<Buffer | Unread> => {
      const early = tooLongBody(request, limitBytes);
      if (early !== null) return Promise.resolve(early);
      const { promise, resolve } = Promise.withResolvers<Buffer | Unread>();
      let pieces: Buffer[] = [];
      let bytes = 0;
      const finish = (result: Buffer | Unread) => {
        if (!readings.delete(reading)) return;
        heldBytes -= bytes + pieces.length * PIECE_BYTES;
        pieces = [];
        resolve(result);
      };
      const reading = { giveUp: () => finish({ status: 503, reason: 'too many unfinished requests' }) };
      readings.add(reading);
      request.on('data', (piece: Buffer) => {
        if (!readings.has(reading)) return;
        pieces.push(piece);
        bytes += piece.length;
        heldBytes += piece.length + PIECE_BYTES;
        if (bytes > limitBytes) finish(tooLong(limitBytes));
        else makeRoom();
      });
      request.on('end', () => finish(Buffer.concat(pieces)));
      // `close` without `end`: the sender is gone.
      for (const event of ['error', 'close']) {
        request.on(event, () => finish({ status: 400, reason: 'not read' }));
      }
      return promise;
    },
  };
}

export function tooLongBody({ headers }: IncomingMessage, limitBytes: number): Unread | null {
  return Number(headers['content-length'] ?? 0) > limitBytes ? tooLong(limitBytes) : null;
}

function tooLong(limitBytes: number): Unread {
  return { status: 413, reason: `more than ${limitBytes} bytes` };
}
