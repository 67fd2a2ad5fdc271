import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  botScopes,
  emailScopes,
  optionalReactionScopes,
  reactionScopes,
} from '../../src/slack/protocol/scopes.ts';
import { formAsShown, messageAsShown } from './as-shown.ts';
import { reactionsGet } from './reactions-get.ts';
import { relaySocket } from './socket-relay.ts';

export interface RenderingProxy {
  /** To be used instead of the local Slack's. Ends with a slash. */
  readonly apiUrl: string;
  close(): Promise<void>;
}

/**
 * A proxy between the bot and a local Slack, whose page shows date markup and entities as they are sent where Slack
 * shows times and characters. Without it the demo would look wrong; and if the bot sent something else to the demo than
 * to Slack, the demo would prove nothing. It changes these in messages and views; acknowledgements go through
 * `relaySocket`. It answers `reactions.get`, which the local Slack does not know, and leaves all else as it is.
 *
 * The local Slack lets the bot post everywhere, Slack only where it is a member: posts to `withoutBot` are refused.
 */
export async function startRenderingProxy(
  localApiUrl: string,
  withoutBot: readonly string[] = [],
): Promise<RenderingProxy> {
  const target = new URL(localApiUrl);
  const server = createServer((request, response) => {
    forward(target, origin, withoutBot, request, response).catch(() => response.destroy());
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    relaySocket(target, origin, request, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    apiUrl: origin + target.pathname,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function forward(
  target: URL,
  origin: string,
  withoutBot: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sent = await buffer(request);
  const isPost = request.url?.endsWith('/chat.postMessage') === true;
  if (isPost && withoutBot.includes(new URLSearchParams(sent.toString()).get('channel') ?? '')) {
    const refusal = JSON.stringify({ ok: false, error: 'not_in_channel' });
    response.writeHead(200, { 'content-type': 'application/json' }).end(refusal);
    return;
  }
  const url = request.url ?? '';
  const isReactionsGet = reactionsGet.isMeant(url);
  const body = isReactionsGet ? Buffer.from(reactionsGet.form(sent.toString())) : asShown(request, sent);
  const { 'transfer-encoding': _chunked, ...headers } = request.headers;
  const forwarded = httpRequest(new URL(isReactionsGet ? reactionsGet.url(url) : url, target), {
    method: request.method,
    headers: { ...headers, host: target.host, 'content-length': body.length },
    // The other side may close a kept connection just as it is used again.
    agent: false,
  });
  forwarded.end(body);
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
  const changed = isReactionsGet ? reactionsGet.answer : answerOf(url, target, origin);
  if (changed === null) {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
    return;
  }
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = answer.headers;
  const content = Buffer.from(changed(await text(answer)));
  const granted = [...botScopes, ...emailScopes, ...reactionScopes, ...optionalReactionScopes];
  const scopes = { 'x-oauth-scopes': granted.map(({ name }) => name).join(',') };
  response.writeHead(answer.statusCode ?? 502, { ...kept, ...scopes, 'content-length': content.length });
  response.end(content);
}

/**
 * Answers that name an address: that of the socket leads through this proxy, that of the workspace to the page. And what
 * the local Slack leaves out: the granted scopes (it grants everything), and Slack's own emoji.
 */
function answerOf(url: string, target: URL, origin: string): ((answer: string) => string) | null {
  if (url.endsWith('/apps.connections.open')) {
    return (answer) => answer.replace(target.host, new URL(origin).host);
  }
  // The local Slack takes every emoji, and lists none.
  if (url.endsWith('/emoji.list')) {
    return () =>
      JSON.stringify({ ok: true, emoji: {}, categories: [{ name: 'Objects', emoji_names: ['memo'] }] });
  }
  if (!url.endsWith('/auth.test')) return null;
  return (answer) => answer.replace(/"url":"[^"]*"/, `"url":"${target.origin}/"`);
}

function asShown(request: IncomingMessage, sent: Buffer): Buffer {
  if (hasText(request)) return Buffer.from(formAsShown(sent.toString()));
  const isAnswer = request.method === 'POST' && /\/response\/[^/]+$/.test(request.url ?? '');
  return isAnswer ? Buffer.from(messageAsShown(sent.toString())) : sent;
}

function hasText({ url = '', headers }: IncomingMessage): boolean {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return (
    isForm &&
    /\/(?:chat\.(?:postMessage|postEphemeral|update)|views\.(?:open|update|push|publish))$/.test(url)
  );
}
