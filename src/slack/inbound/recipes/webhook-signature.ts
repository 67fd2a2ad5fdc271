import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** An older request may be a replay. */
const APART_MAX_S = 5 * 60;
/** Digits alone: with a full stop in it, the parts of what is signed could be read shifted. */
const TIMESTAMP = /^\d{1,12}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
/** Other versions are skipped. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  readonly content: Buffer;
}

interface Signed {
  /** The sender's id of the request. */
  readonly id: string;
  readonly timestamp: string;
  /** One at least. */
  readonly signatures: readonly Buffer[];
}

type Problem = { readonly problem: string };
const MISMATCH: Problem = { problem: 'signature mismatch' };

/** The sender's id of a request that one of the secrets signed just now, as Standard Webhooks says; else why it is none. */
export function verifyWebhook(
  secrets: readonly KeyObject[],
  { headers, content }: WebhookRequest,
  nowMs: number,
): { readonly id: string } | Problem {
  const signed = webhookSignatureIn(headers, nowMs);
  if ('problem' in signed) return signed;
  const { id, timestamp, signatures } = signed;
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(content).digest(),
  );
  const fits = expected.some((one) => signatures.some((other) => timingSafeEqual(one, other)));
  return fits ? { id } : MISMATCH;
}

/** The signatures that the headers bring, if they may be of now: to be judged before the body is read. */
export function webhookSignatureIn(headers: IncomingHttpHeaders, nowMs: number): Signed | Problem {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const given = headers['webhook-signature'];
  if (typeof id !== 'string') return { problem: 'no webhook-id' };
  if (!ID.test(id)) return { problem: 'webhook-id must be 1 to 256 characters of ASCII, without spaces' };
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return { problem: 'no webhook-timestamp' };
  if (typeof given !== 'string') return { problem: 'no webhook-signature' };
  const agoS = nowMs / 1000 - Number(timestamp);
  if (agoS > APART_MAX_S) return { problem: 'signed too long ago' };
  if (agoS < -APART_MAX_S) return { problem: 'signed for a time to come' };
  const signatures = given.split(' ').flatMap((signature) => {
    const [, base64] = SIGNATURE.exec(signature) ?? [];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  return signatures.length === 0 ? MISMATCH : { id, timestamp, signatures };
}
