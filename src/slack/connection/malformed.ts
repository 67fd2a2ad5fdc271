import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPModuleFunctions as bolt } from '@slack/bolt';
import type { Logger } from '../../operations/logger.ts';

export interface SlackRequests {
  /** Where Slack posts its gestures. */
  readonly path: string;
  readonly signingSecret: string;
  readonly log: Logger;
}

/**
 * Answers what Slack signed and is no JSON object. Bolt fails on such content, or waits for an acknowledgement that
 * nobody gives. All other requests are left to the listener.
 */
export function refuseMalformed(
  { path, signingSecret, log }: SlackRequests,
  listener: RequestListener,
): RequestListener {
  const checked = async (request: IncomingMessage, response: ServerResponse, pass: () => void) => {
    const status = await refusalOf(request, signingSecret);
    if (status === null) return pass();
    log.warn('request_refused', { status });
    // What is left unread of it would be taken for the next request.
    response.writeHead(status, { connection: 'close' }).end();
  };
  return (request, response) => {
    const pass = () => listener(request, response);
    const isGesture = request.method === 'POST' && request.url?.split('?', 1)[0] === path;
    // At other paths the listener throws, which is for its caller.
    return isGesture ? void checked(request, response, pass) : pass();
  };
}

/** The status to answer, or null. What is read of the request is kept with it, for the listener to read again. */
async function refusalOf(request: IncomingMessage, signingSecret: string): Promise<number | null> {
  try {
    const options = { signingSecret, bodyLimit: bolt.defaultBodyLimit };
    const body: unknown = bolt.parseHTTPRequestBody(await bolt.parseAndVerifyHTTPRequest(options, request));
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? null : 400;
  } catch (error) {
    // It was read in part, and cannot be read again. The rest the listener refuses itself.
    return bolt.isRawBodyError(error) ? error.statusCode : null;
  }
}
