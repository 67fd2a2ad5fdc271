import { once } from 'node:events';
import { createServer } from 'node:http';

/** Above 10080, the highest port that fetch refuses (the "bad ports" of the WHATWG). */
const LOWEST = 10_081;
const HIGHEST = 29_999;

/**
 * A port for what must be known before the program listens. Not one that the system gives out by itself, which
 * it might do again in the meantime.
 */
export async function freePort(): Promise<number> {
  const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
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
