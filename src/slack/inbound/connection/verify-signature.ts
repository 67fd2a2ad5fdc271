import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { HTTPModuleFunctions as bolt } from '@slack/bolt';
import type { BodyReader } from '../../../engine/runtime/http-server.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';

/**
 * Slack's longest request is an edit of a 40,000-character message: four copies, up to six bytes a character.
 */
const BODY_LIMIT_BYTES = 1024 * 1024;
/** For a request without a signature: Slack's check of the address is a short form. */
const UNSIGNED_LIMIT_BYTES = 1024;

export interface SlackRequests {
  readonly signingSecret: string;
  readonly bodies: BodyReader;
  readonly log: Logger;
}

/**
 * Whether Slack signed the request just now and it holds a JSON object: Bolt fails on other content, or never
 * acknowledges. If not, it is answered here. If so, its body can be read again and needs no second
 * verification.
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
  // Unread bytes would be taken for the next request.
  response.writeHead(verdict.status, { connection: 'close' }).end();
  return false;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/**
 * Anybody may send a request, so the headers are judged before the body is read. The body is kept with the
 * request for a second reading.
 */
async function verdictOf(
  request: IncomingMessage,
  { signingSecret, bodies }: SlackRequests,
): Promise<'genuine' | 'ssl check' | Refusal> {
  const { headers } = request;
  const nowMs = Date.now();
  const signed = signatureIn(headers, nowMs);
  const isUnsigned = 'problem' in signed;
  if (isUnsigned && !mayBeSslCheck(headers)) return { status: 401, reason: signed.problem };
  const content = await bodies.read(request, isUnsigned ? UNSIGNED_LIMIT_BYTES : BODY_LIMIT_BYTES);
  if ('status' in content) return content;
  const problem = signatureProblem(signingSecret, { headers, content }, nowMs);
  if (problem !== null) return isSslCheck(content) ? 'ssl check' : { status: 401, reason: problem };
  try {
    const body: unknown = bolt.parseHTTPRequestBody(Object.assign(request, { rawBody: content }));
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? 'genuine' : { status: 400, reason: 'no object' };
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 400, reason: 'no JSON' };
    return { status: 400, reason: error instanceof Error ? error.message : String(error) };
  }
}

function mayBeSslCheck(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type, 'content-length': length } = headers;
  return type === 'application/x-www-form-urlencoded' && Number(length) <= UNSIGNED_LIMIT_BYTES;
}

/** Slack's unsigned check of the address. Nothing else in it is read. */
function isSslCheck(content: Buffer): boolean {
  return parseForm(content.toString()).ssl_check === '1';
}

/** An older signature may be a replay. */
const APART_MAX_MS = 5 * 60_000;
const SIGNATURE = /^v0=([0-9a-f]{64})$/;

interface Signed {
  readonly timestamp: string;
  readonly signature: string;
}

/**
 * Why this is not a fresh request of Slack's; null: it is. Bolt's own check accepts any future time and takes
 * ten times as long, a third of what a bare Bolt app spends on a request.
 */
export function signatureProblem(
  signingSecret: string,
  { headers, content }: { readonly headers: IncomingHttpHeaders; readonly content: Buffer },
  nowMs: number,
): string | null {
  const signed = signatureIn(headers, nowMs);
  if ('problem' in signed) return signed.problem;
  const { timestamp, signature } = signed;
  const expected = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(content).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? null : 'signature mismatch';
}

/** The signature in the headers, if it is recent. */
function signatureIn(headers: IncomingHttpHeaders, nowMs: number): Signed | { readonly problem: string } {
  const timestamp = headers['x-slack-request-timestamp'];
  const [, signature] = SIGNATURE.exec(String(headers['x-slack-signature'])) ?? [];
  if (typeof timestamp !== 'string' || signature === undefined) return { problem: 'no signature' };
  const agoMs = nowMs - Number(timestamp) * 1000;
  if (Number.isNaN(agoMs)) return { problem: 'signed without a time' };
  if (agoMs > APART_MAX_MS) return { problem: 'signed too long ago' };
  if (agoMs < -APART_MAX_MS) return { problem: 'signed for a time to come' };
  return { timestamp, signature };
}
