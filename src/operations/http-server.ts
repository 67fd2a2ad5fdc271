import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that is served at a path, to GET. */
export interface Route {
  readonly path: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the routes and nothing else. Rejects with the system's error if the port is taken. */
export async function serveRoutes(
  routes: readonly Route[],
  address: { readonly port: number; readonly host: string },
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const route = request.method === 'GET' ? routes.find((candidate) => candidate.path === path) : undefined;
    if (route === undefined) response.writeHead(404).end();
    else route.handle(request, response);
  });
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
