import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeCall, type SlackCall } from '../../support/fault-proxy/call.ts';
import { type Exchange, forward, readAll } from '../../support/fault-proxy/forward.ts';

/** `hold`: it never goes on. An answer: given in place of the target's, which never learns of the call. */
export type Verdict = 'go' | 'hold' | Exchange;

/** Asked when a call has arrived, and when its answer is there. */
export type Guard = (call: SlackCall, moment: 'before' | 'after') => Verdict;

export interface Gate extends AsyncDisposable {
  /** To be used in place of the target's, without a slash at its end. */
  readonly origin: string;
}

/** Stands between the program and a server at the origin `target`, and asks at each call whether it may go on. */
export async function startGate(target: string, guard: Guard): Promise<Gate> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = await readAll(request);
    const method = path.replace(/^\/api\//, '').replace(/\?.*$/, '');
    const call = decodeCall(method, request.headers, body);
    const verdict = guard(call, 'before');
    if (verdict === 'hold') return;
    const answer = verdict === 'go' ? await forward(request, new URL(path, target).href, body) : verdict;
    if (guard(call, 'after') === 'hold') return;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
