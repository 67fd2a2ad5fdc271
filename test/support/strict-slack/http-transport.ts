import { createHmac } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { readAll } from '../fault-proxy/forward.ts';
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
  const { contentType, body } = encode(delivery);
  // By the machine's time, by which Bolt looks whether a request is stale.
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', strictApp.signingSecret)
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const headers = {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
    ...(delivery.retryReason === null
      ? {}
      : { 'x-slack-retry-num': delivery.attempt, 'x-slack-retry-reason': delivery.retryReason }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body);
  const answer = await promise;
  const text = (await readAll(answer)).toString();
  if (answer.statusCode !== 200) return { acknowledged: false, reason: 'http_error' };
  return { acknowledged: true, payload: decode(text), program: null };
}

function encode({ kind, payload }: Delivery): { contentType: string; body: string } {
  if (kind === 'event') return { contentType: 'application/json', body: JSON.stringify(payload) };
  const fields = kind === 'command' ? payload : { payload: JSON.stringify(payload) };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  // Bolt compares this header as a whole: with a charset it would take the body for JSON.
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
}

function decode(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
