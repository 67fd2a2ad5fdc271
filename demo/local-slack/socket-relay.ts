import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { acknowledgementAsShown } from './as-shown.ts';
import { withShownFields } from './shown-fields.ts';
import { rewrittenText } from './socket-text.ts';

/**
 * Relays a Socket Mode connection to the local Slack: the bot's answers are rewritten as Slack would show them, and the
 * addresses for later answers lead through `ownOrigin`. Forms arrive as they were shown.
 */
export function relaySocket(target: URL, ownOrigin: string, request: IncomingMessage, client: Duplex): void {
  const server = connect(Number(target.port), target.hostname);
  for (const side of [client, server]) {
    side.on('error', () => {});
    side.on('close', () => {
      client.destroy();
      server.destroy();
    });
  }
  server.write(handshake(request, target.host));
  client.pipe(rewrittenText(acknowledgementAsShown)).pipe(server);
  server.once('data', (answer: Buffer) => {
    // The answer to the handshake ends before the first frame.
    const end = answer.indexOf('\r\n\r\n') + 4;
    client.write(answer.subarray(0, end));
    if (end < answer.length) server.unshift(answer.subarray(end));
    const asDelivered = (text: string) => withShownFields(text.replaceAll(target.origin, ownOrigin));
    server.pipe(rewrittenText(asDelivered)).pipe(client);
  });
}

function handshake({ url = '/', headers }: IncomingMessage, host: string): string {
  // Without compression: the messages must be readable here.
  const { 'sec-websocket-extensions': _compression, ...kept } = headers;
  const lines = Object.entries({ ...kept, host }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
