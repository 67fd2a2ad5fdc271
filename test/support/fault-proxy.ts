import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { answerCall } from './fault-proxy/answer.ts';
import { decodeCall, type SlackCall } from './fault-proxy/call.ts';
import { type Fault, FaultQueue } from './fault-proxy/fault.ts';
import { type Exchange, forward, readAll } from './fault-proxy/forward.ts';
import { createSocketRelay } from './fault-proxy/socket-relay.ts';
import { noteHappened, type SlackTook } from './invariants/world.ts';

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/**
 * Stands between the bot and a Slack Web API at `target` (`…/api/`) and lets calls and Socket Mode connections
 * go wrong where a test says so. Everything else is passed on as it is, but for the address that
 * `apps.connections.open` answers: Socket Mode runs through the proxy too. Posts to a `response_url` do not.
 */
export async function startFaultProxy({ target }: { readonly target: string }) {
  const calls: SlackCall[] = [];
  const happened: SlackTook[] = [];
  const faults = new FaultQueue();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const relay = createSocketRelay(server, `ws://127.0.0.1:${port}`);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/^\/api\//, '');
    const method = path.replace(/\?.*$/, '');
    const body = await readAll(request);
    const call = decodeCall(method, request.headers, body);
    calls.push(call);
    const pass = async () => {
      const exchange = await forward(request, new URL(path, target).href, body);
      noteHappened(happened, request, { call, teamId: localApp.teamId, body: exchange.body });
      return method === 'apps.connections.open' ? withRelayAddress(exchange) : exchange;
    };
    await answerCall(response, faults.take(method), pass);
  }

  function withRelayAddress(exchange: Exchange): Exchange {
    const opened = JSON.parse(exchange.body.toString());
    if (typeof opened.url !== 'string') return exchange;
    const body = Buffer.from(JSON.stringify({ ...opened, url: relay.addressFor(opened.url) }));
    return { ...exchange, headers: { ...exchange.headers, 'content-length': String(body.length) }, body };
  }

  return {
    /** To be used in place of the target's, with the slash at its end. */
    apiUrl: `http://127.0.0.1:${port}/api/`,
    /** The next calls of the method fail so, one fault for each call; calls after them go through. */
    fail: (method: string, ...next: Fault[]) => faults.add(method, next),
    /** The calls that succeeded, whether or not their answer arrived. */
    happened: happened as readonly SlackTook[],
    /** All calls so far, or those of one method, in the order of their arrival; also those that failed. */
    calls: (method?: string) => calls.filter((call) => method === undefined || call.method === method),
    socket: relay.faults,
    /** Cuts everything that is still open. */
    close: async () => {
      relay.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
