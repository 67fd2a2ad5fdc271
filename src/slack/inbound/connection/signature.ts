import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** An older signature may be a replay. */
const APART_MAX_MS = 5 * 60_000;

interface Given {
  readonly secrets: readonly (string | KeyObject)[];
  /** Signed before the body. */
  readonly prefix: string;
  /** One of them must be of one of the secrets. */
  readonly signatures: readonly Buffer[];
  /** Seconds since 1970. */
  readonly timestamp: string;
}

/** The check of a request's body, if its headers were signed just now; otherwise what is wrong with them. */
export function recentSignature(
  { secrets, prefix, signatures, timestamp }: Given,
  nowMs: number,
): { readonly problem: string } | { readonly covers: (content: Buffer) => boolean } {
  const agoMs = nowMs - Number(timestamp) * 1000;
  if (Number.isNaN(agoMs)) return { problem: 'signed without a time' };
  if (agoMs > APART_MAX_MS) return { problem: 'signed too long ago' };
  if (agoMs < -APART_MAX_MS) return { problem: 'signed for a time to come' };
  return {
    covers: (content) =>
      secrets.some((secret) => {
        const expected = createHmac('sha256', secret).update(prefix).update(content).digest();
        return signatures.some((signature) => timingSafeEqual(expected, signature));
      }),
  };
}

export const MISMATCH = 'signature mismatch';
