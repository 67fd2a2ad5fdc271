import type { ServerResponse } from 'node:http';

export type Operation = 'create' | 'message' | 'cancel' | 'get';

/**
 * What goes wrong with one request:
 * - an object: this answer, and the request is not processed (`body`: a string as it is, all else as JSON;
 *   `isProxys`: something in front of the API answers, which announces nothing)
 * - `reset_before`: the connection breaks, the request is not processed
 * - `reset_after`: the request is processed, then the connection breaks
 * - `hang`: no answer ever, the request is not processed
 * - `half_body`: the request is processed, and the connection breaks in the middle of the answer
 * - `html`: a web page with status 200, and the request is not processed
 */
export type Fault =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly isProxys?: true;
    }
  | 'reset_before'
  | 'reset_after'
  | 'hang'
  | 'half_body'
  | 'html';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Answers as the fault says. `process` is called at most once, if the request is to be processed. */
export function answer(response: ServerResponse, fault: Fault | undefined, process: () => Reply): void {
  switch (fault) {
    case undefined:
      send(response, process());
      break;
    case 'reset_before':
      response.destroy();
      break;
    case 'reset_after':
      process();
      response.destroy();
      break;
    case 'hang':
      break;
    case 'half_body':
      sendHalf(response, process());
      break;
    case 'html':
      response.removeHeader('agent-capabilities');
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Please sign in</title>');
      break;
    default: {
      const { status, body = { error: `status ${status}` }, headers, isProxys } = fault;
      if (isProxys) response.removeHeader('agent-capabilities');
      send(response, { status, body }, headers);
    }
  }
}

function send(response: ServerResponse, { status, body }: Reply, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function sendHalf(response: ServerResponse, { status, body }: Reply): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}
