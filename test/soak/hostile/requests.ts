import { createHmac } from 'node:crypto';
import { fc } from '../../support/properties.ts';
import { type Payload, payloads } from './payloads.ts';
import { type Corruption, corrupted, corruption } from './values.ts';

/** Stands in all that was not signed by Slack. */
export const FORGED = 'FORGED-';

const FORM = 'application/x-www-form-urlencoded';
const forgeries = ['unsigned', 'other_secret', 'stale', 'ahead', 'other_body', 'no_version'] as const;
type Forgery = (typeof forgeries)[number];

export interface HostileRequest {
  /** Null: it is signed as Slack signs. */
  readonly forgery: Forgery | null;
  readonly contentType: string;
  readonly body: string;
}

const FORGED_SHARE = { weight: 1, arbitrary: fc.constantFrom(...forgeries) };
const SIGNED_SHARE = { weight: 3, arbitrary: fc.constant(null) };

/** Mostly requests with hostile words, half of them with hostile values in any place, some not even JSON. */
export function hostileRequest(number: number): fc.Arbitrary<HostileRequest> {
  return fc
    .oneof(SIGNED_SHARE, FORGED_SHARE)
    .chain((forgery) =>
      fc.record({
        forgery: fc.constant(forgery),
        payload: payloads(number, forgery === null ? '' : FORGED),
        changes: fc.oneof(fc.constant([]), fc.array(corruption, { minLength: 1, maxLength: 3 })),
        contentType: rarely(
          10,
          fc.constantFrom('application/json', FORM, 'text/plain', `${FORM}; charset=utf-8`),
        ),
        cutAt: rarely(20, fc.nat(2_000)),
      }),
    )
    .map(({ forgery, payload, changes, contentType, cutAt }): HostileRequest => {
      const encoded = encode(payload, changes);
      return {
        forgery,
        contentType: contentType ?? encoded.contentType,
        body: cutAt === null ? encoded.body : encoded.body.slice(0, cutAt),
      };
    });
}

/** Once in so many times; else null. */
function rarely<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

function encode({ kind, fields }: Payload, changes: readonly Corruption[]): Omit<HostileRequest, 'forgery'> {
  const payload = corrupted(fields, changes);
  if (kind === 'event') return { contentType: 'application/json', body: JSON.stringify(payload) };
  if (kind === 'interaction') {
    return { contentType: FORM, body: String(new URLSearchParams({ payload: JSON.stringify(payload) })) };
  }
  const texts = Object.entries(payload ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return { contentType: FORM, body: String(new URLSearchParams(texts)) };
}

/** The headers, as somebody has them who knows the secret, or does not. */
export function headersOf(
  { forgery, contentType, body }: HostileRequest,
  secret: string,
): Record<string, string> {
  const base = { 'content-type': contentType };
  if (forgery === 'unsigned') return base;
  const shiftSeconds = forgery === 'stale' ? -301 : forgery === 'ahead' ? 330 : 0;
  const timestamp = String(Math.floor(Date.now() / 1000) + shiftSeconds);
  const key = forgery === 'other_secret' ? `${secret}?` : secret;
  const signedBody = forgery === 'other_body' ? `${body} ` : body;
  const digest = createHmac('sha256', key).update(`v0:${timestamp}:${signedBody}`).digest('hex');
  const signature = `${forgery === 'no_version' ? '' : 'v0='}${digest}`;
  return { ...base, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
}
