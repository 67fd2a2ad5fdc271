import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * A port for what must be known before the program listens. Not one that the system gives out by itself, which
 * it might do again in the meantime.
 */
export async function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
