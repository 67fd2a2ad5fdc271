import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How far the time of a signature may be from ours: what was signed longer ago may be a replay. */
const APART_MAX_MS = 5 * 60_000;
const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/**
 * Why this is not what Slack signed just now; null: it is. Bolt's own check lets any time to come pass, and costs ten
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
