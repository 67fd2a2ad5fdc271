import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a method of the Web API answers; `hang`: nothing, ever. */
type Answer = Readonly<Record<string, unknown>> | 'hang' | (() => Readonly<Record<string, unknown>>);

export interface TinySlack extends AsyncDisposable {
  readonly apiUrl: string;
  /** The names of the methods that were called, in order. */
  readonly calls: readonly string[];
}

const usual: Readonly<Record<string, Answer>> = {
  'auth.test': {
    ok: true,
    user_id: 'U0BOT',
    bot_id: 'B0BOT',
    team_id: 'T0TEAM',
    user: 'docs-agent',
    team: 'Acme',
  },
  'chat.postMessage': { ok: true, ts: '1700000000.000100' },
};

/** As much of Slack's Web API as it takes to start and stop; everything else answers a bare `ok`. */
export async function startTinySlack(
  answers: Readonly<Record<string, Answer>> = {},
  /** What the token may do. Default: it does not say. */
  scopes?: readonly string[],
): Promise<TinySlack> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const method = request.url?.replace('/api/', '') ?? '';
    calls.push(method);
    const answer = answers[method] ?? usual[method] ?? { ok: true };
    request.resume();
    if (answer === 'hang') return;
    const body = typeof answer === 'function' ? answer() : answer;
    const granted = scopes === undefined ? {} : { 'x-oauth-scopes': scopes.join(',') };
    response.writeHead(200, { 'content-type': 'application/json', ...granted }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
