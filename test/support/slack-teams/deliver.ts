import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { strictApp } from '../strict-slack/ids.ts';

/** Sends the bot a signed request, and returns the answer. */
export async function deliver(url: string, body: string, headers: IncomingHttpHeaders): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', strictApp.signingSecret)
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const kept = Object.entries(headers).filter(([name]) => /^(content-type|x-slack-retry-)/.test(name));
  return fetch(url, {
    method: 'POST',
    body,
    headers: {
      ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  });
}
