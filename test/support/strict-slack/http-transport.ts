import { Agent, type IncomingMessage, request } from 'node:http';
import { readAll } from '../fault-proxy/forward.ts';
import { formBody, type SlackBody, signedHeaders } from '../slack-requests.ts';
import type { Answer, Delivery, Transport } from './delivery.ts';
import { strictApp } from './ids.ts';

export interface HttpTransport extends Transport {
  close(): void;
}

/** Signed requests to the bot's addresses in turn, as a balancer before replicas would spread them. */
export function createHttpTransport(requestUrls: readonly string[]): HttpTransport {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  return {
    send: async (delivery) => {
      const url = requestUrls[turn % requestUrls.length] ?? '';
      turn += 1;
      try {
        return await post(url, delivery, agent);
      } catch {
        return { acknowledged: false, reason: 'connection_failed' };
      }
    },
    close: () => agent.destroy(),
  };
}

async function post(url: string, delivery: Delivery, agent: Agent): Promise<Answer> {
  const encoded = encode(delivery);
  const headers = {
    // By the machine's time, by which Bolt looks whether a request is stale.
    ...signedHeaders(encoded, strictApp.signingSecret),
    'content-length': Buffer.byteLength(encoded.body),
    ...(delivery.retryReason === null
      ? {}
      : { 'x-slack-retry-num': delivery.attempt, 'x-slack-retry-reason': delivery.retryReason }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(encoded.body);
  const answer = await promise;
  const text = (await readAll(answer)).toString();
  if (answer.statusCode !== 200) return { acknowledged: false, reason: 'http_error' };
  return { acknowledged: true, payload: decode(text), program: null };
}

function encode({ kind, payload }: Delivery): SlackBody {
  if (kind === 'event') return { contentType: 'application/json', body: JSON.stringify(payload) };
  if (kind === 'action') return formBody({ payload: JSON.stringify(payload) });
  return formBody(Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)])));
}

function decode(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
