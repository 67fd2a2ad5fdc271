import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { HTTPModuleFunctions as bolt } from '@slack/bolt';
import type { Logger } from '../../../engine/runtime/logger.ts';

export interface SlackRequests {
  readonly signingSecret: string;
  readonly bodyLimit: number;
  readonly log: Logger;
}

/**
 * Whether Slack signed the request just now, and it holds a JSON object: Bolt fails on other content, or waits for an
 * acknowledgement that never happens. If not, it is answered. If so, it can be read again, and need not be verified.
 */
export async function isSignedBySlack(
  request: IncomingMessage,
  response: ServerResponse,
  requests: SlackRequests,
): Promise<boolean> {
  const verdict = await verdictOf(request, requests);
  if (verdict === 'genuine') return true;
  if (verdict === 'ssl check') {
    response.writeHead(200).end();
    return false;
  }
  requests.log.warn('request_refused', { ...verdict });
  // What is left unread of it would be taken for the next request.
  response.writeHead(verdict.status, { connection: 'close' }).end();
  return false;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** What is read of the request is kept with it, so that it can be read again. */
async function verdictOf(
  request: IncomingMessage,
  { signingSecret, bodyLimit }: SlackRequests,
): Promise<'genuine' | 'ssl check' | Refusal> {
  try {
    const buffered = await bolt.bufferIncomingMessage(request, bodyLimit);
    const { headers, rawBody: content } = buffered;
    const problem = signatureProblem(signingSecret, { headers, content }, Date.now());
    if (problem !== null) return isSslCheck(content) ? 'ssl check' : { status: 401, reason: problem };
    const body: unknown = bolt.parseHTTPRequestBody(buffered);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? 'genuine' : { status: 400, reason: 'no object' };
  } catch (error) {
    if (bolt.isRawBodyError(error)) return { status: error.statusCode, reason: error.type };
    if (error instanceof SyntaxError) return { status: 400, reason: 'no JSON' };
    return { status: 400, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Slack's unsigned test whether the address answers. Nothing else in it is read. */
function isSslCheck(content: Buffer): boolean {
  return parseForm(content.toString()).ssl_check === '1';
}

/** An older signature may be a replay. */
const APART_MAX_MS = 5 * 60_000;
const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/**
 * Why this is not what Slack signed just now; null: it is. Bolt's own check accepts any future time, and costs ten
 * times as much, a third of what a bare Bolt app does for a request.
 */
export function signatureProblem(
  signingSecret: string,
  { headers, content }: { readonly headers: IncomingHttpHeaders; readonly content: Buffer },
  nowMs: number,
): string | null {
  const timestamp = headers['x-slack-request-timestamp'];
  const [, signature] = SIGNATURE.exec(String(headers['x-slack-signature'])) ?? [];
  if (timestamp === undefined || signature === undefined) return 'no signature';
  const agoMs = nowMs - Number(timestamp) * 1000;
  if (Number.isNaN(agoMs)) return 'signed without a time';
  if (agoMs > APART_MAX_MS) return 'signed too long ago';
  if (agoMs < -APART_MAX_MS) return 'signed for a time to come';
  const expected = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(content).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? null : 'signature mismatch';
}
