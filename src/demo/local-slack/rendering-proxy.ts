import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { formAsShown } from './as-shown.ts';

export interface RenderingProxy {
  /** To be used instead of the local Slack's. Ends with a slash. */
  readonly apiUrl: string;
  close(): Promise<void>;
}

/**
 * Stands between the bot and a local Slack, whose page shows dates and entities as they are sent where Slack
 * shows times and characters. Without it the demo would look wrong; with a bot that sent something else to the
 * demo than to Slack, the demo would prove nothing. It changes these in messages and
 * views, and nothing else; what goes with an acknowledgement does not come this way.
 */
export async function startRenderingProxy(localApiUrl: string): Promise<RenderingProxy> {
  const server = createServer((request, response) => {
    forward(new URL(localApiUrl), request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}${new URL(localApiUrl).pathname}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function forward(target: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await buffer(request);
  const body = hasText(request) ? Buffer.from(formAsShown(sent.toString())) : sent;
  const { 'transfer-encoding': _chunked, ...headers } = request.headers;
  const forwarded = httpRequest(new URL(request.url ?? '', target), {
    method: request.method,
    headers: { ...headers, host: target.host, 'content-length': body.length },
    // A kept connection may be closed by the other side just when it is used again.
    agent: false,
  });
  forwarded.end(body);
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}

function hasText({ url = '', headers }: IncomingMessage): boolean {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return (
    isForm &&
    /\/(?:chat\.(?:postMessage|postEphemeral|update)|views\.(?:open|update|push|publish))$/.test(url)
  );
}
