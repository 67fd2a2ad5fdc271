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
 * Leaves to the listener what Slack signed, within the last five minutes, and refuses the rest; also what was signed for
 * a time to come, and what is no JSON object: Bolt fails on such content, or waits for an acknowledgement that nobody
 * gives. The listener need not verify again.
 */
export function refuseForged(requests: SlackRequests, listener: RequestListener): RequestListener {
  const checked = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = await refusalOf(request, requests);
    if (refusal === null) return listener(request, response);
    const { status } = refusal;
    requests.log.warn('request_refused', { ...refusal });
    // What is left unread of it would be taken for the next request.
    response.writeHead(status, { connection: 'close' }).end();
  };
  return (request, response) => void checked(request, response);
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** What to answer, or null. What is read of the request is kept with it, for the listener to read again. */
async function refusalOf(
  request: IncomingMessage,
  { signingSecret, bodyLimit }: SlackRequests,
): Promise<Refusal | null> {
  try {
    const verified = await bolt.parseAndVerifyHTTPRequest({ signingSecret, bodyLimit }, request);
    const signedAtMs = Number(request.headers['x-slack-request-timestamp']) * 1000;
    if (signedAtMs > Date.now() + AHEAD_MAX_MS) return { status: 401, reason: 'signed for a time to come' };
    const body: unknown = bolt.parseHTTPRequestBody(verified);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? null : { status: 400, reason: 'no object' };
  } catch (error) {
    if (bolt.isRawBodyError(error)) return { status: error.statusCode, reason: error.type };
    if (error instanceof SyntaxError) return { status: 400, reason: 'no JSON' };
    return { status: 401, reason: error instanceof Error ? error.message : String(error) };
  }
}
