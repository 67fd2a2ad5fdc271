import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPModuleFunctions as bolt } from '@slack/bolt';
import type { Logger } from '../../operations/logger.ts';

export interface SlackRequests {
  readonly signingSecret: string;
  readonly bodyLimit: number;
  readonly log: Logger;
}

/** Slack signs with the time. Bolt refuses what was signed longer ago than this, and takes any time to come. */
const AHEAD_MAX_MS = 5 * 60_000;

/**
 * Answers what Slack signed and is no JSON object, and what was signed for a time to come: Bolt fails on such content,
 * or waits for an acknowledgement that nobody gives. All other requests are left to the listener.
 */
export function refuseMalformed(requests: SlackRequests, listener: RequestListener): RequestListener {
  const checked = async (request: IncomingMessage, response: ServerResponse) => {
    const status = await refusalOf(request, requests);
    if (status === null) return listener(request, response);
    requests.log.warn('request_refused', { status });
    // What is left unread of it would be taken for the next request.
    response.writeHead(status, { connection: 'close' }).end();
  };
  return (request, response) => void checked(request, response);
}

/** The status to answer, or null. What is read of the request is kept with it, for the listener to read again. */
async function refusalOf(
  request: IncomingMessage,
  { signingSecret, bodyLimit }: SlackRequests,
): Promise<number | null> {
  try {
    const verified = await bolt.parseAndVerifyHTTPRequest({ signingSecret, bodyLimit }, request);
    const signedAtMs = Number(request.headers['x-slack-request-timestamp']) * 1000;
    if (signedAtMs > Date.now() + AHEAD_MAX_MS) return 401;
    const body: unknown = bolt.parseHTTPRequestBody(verified);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? null : 400;
  } catch (error) {
    // It was read in part, and cannot be read again. The rest the listener refuses itself.
    return bolt.isRawBodyError(error) ? error.statusCode : null;
  }
}
