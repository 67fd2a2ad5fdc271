import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { wordsOf } from './words.ts';

const OUTAGE_MS = 20_000;
const REFUSAL = 'This is too vague to work on. Name the page that should change.';
const PASSED_ON = ['authorization', 'content-type', 'idempotency-key'] as const;

export interface GatedRunner {
  /** Where it listens; called for each request. */
  readonly url: () => Promise<string>;
  /** It offers no more than the three calls that every agent API has. */
  readonly isPlain?: boolean;
}

/**
 * Stands before the runners of the demo's projects, and plays what a good runner does not do: the words `vague`,
 * `unclear` and `outage` have their effects here.
 */
export async function startGate(runners: Readonly<Record<string, GatedRunner>>) {
  const seen = new Set<string>();
  let isClosed = false;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? await text(request) : null;
    const [, project = '', path] = /^\/v2\/agent\/([^/]+)(\/job\/?)?/.exec(url) ?? [];
    const runner = runners[project];
    if (runner === undefined) return send(response, 404, { error: `There is no project ${project}.` });
    const { prompt = '' } = (body ? JSON.parse(body) : {}) as { readonly prompt?: string };
    const words = wordsOf(prompt);
    if (path === '/job' && words.has('vague')) return send(response, 400, { error: REFUSAL });
    const passed = PASSED_ON.flatMap((name) => (headers[name] ? [[name, `${headers[name]}`] as const] : []));
    const answer = await fetch(`${await runner.url()}${url}`, {
      method,
      headers: Object.fromEntries(passed),
      body,
    });
    const job = (await answer.json()) as { readonly id?: string };
    const key = headers['idempotency-key']?.toString();
    const isFirst = key === undefined || !seen.has(key);
    if (key !== undefined) seen.add(key);
    if (isFirst && words.has('unclear') && answer.ok) {
      console.log(`  The agent took “${prompt}” as ${job.id}, but could not say so.`);
      return void response.destroy();
    }
    const capabilities = runner.isPlain ? null : answer.headers.get('agent-capabilities');
    if (capabilities !== null) response.setHeader('agent-capabilities', capabilities);
    send(response, answer.status, job);
    if (isFirst && words.has('outage')) response.once('close', goAway);
  }

  function goAway(): void {
    server.close();
    server.closeAllConnections();
    setTimeout(() => isClosed || server.listen(port, '127.0.0.1'), OUTAGE_MS).unref();
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      isClosed = true;
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
