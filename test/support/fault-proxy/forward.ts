import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request on with its bytes untouched, and returns the whole answer. */
export async function forward(incoming: IncomingMessage, url: string, body: Buffer): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { ...incoming.headers, host: new URL(url).host };
  request(url, { method: incoming.method ?? 'POST', headers }, resolve)
    .on('error', reject)
    .end(body);
  const answer = await promise;
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await readAll(answer) };
}

export async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
