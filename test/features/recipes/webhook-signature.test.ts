import { createSecretKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { webhookSignatureIn } from '../../../src/features/recipes/hooks.ts';
import { fc } from '../../support/properties.ts';

/** Published with the specification. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  content: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const AT_MS = 1_614_265_330_000;

const keyOf = (secret: string) => createSecretKey(secret.replace('whsec_', ''), 'base64');

interface Given {
  readonly secrets?: readonly string[];
  readonly id?: string;
  readonly timestamp?: string;
  readonly signature?: string;
  readonly content?: string | Buffer;
  readonly nowMs?: number;
}

function verdict(given: Given = {}) {
  const { id, timestamp, signature, content } = { ...vector, ...given };
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const keys = (given.secrets ?? [vector.secret]).map(keyOf);
  const signed = webhookSignatureIn(keys, headers, given.nowMs ?? AT_MS);
  if ('problem' in signed) return signed;
  const { id: sender, covers } = signed;
  return covers(Buffer.from(content)) ? { id: sender } : { problem: 'signature mismatch' };
}

const genuine = { id: vector.id };

describe('the signature of a webhook (T3)', () => {
  test('counts for five minutes, before and after its time', () => {
    expect(verdict({ nowMs: AT_MS + 300_000 })).toEqual(genuine);
    expect(verdict({ nowMs: AT_MS - 300_000 })).toEqual(genuine);
    expect(verdict({ nowMs: AT_MS + 301_000 })).toEqual({ problem: 'signed too long ago' });
    expect(verdict({ nowMs: AT_MS - 301_000 })).toEqual({ problem: 'signed for a time to come' });
  });

  test.each<[string, Given]>([
    ['another body', { content: `${vector.content} ` }],
    ['another id', { id: 'msg_other' }],
    ['a time that is no number', { timestamp: `${vector.timestamp}abc` }],
    ['a full stop in the time', { timestamp: `${vector.timestamp}.1` }],
    ['no version', { signature: vector.signature.slice(3) }],
    ['an empty one', { signature: '' }],
    ['a shorter one', { signature: 'v1,g0hM9SsE' }],
    ['another version', { signature: vector.signature.replace('v1,', 'v2,') }],
  ])('is none with %s', (_what, given) => {
    expect(verdict(given)).toHaveProperty('problem');
  });

  test.each([
    ['spaces', 'msg p5j'],
    ['other characters', 'msg_é'],
    ['257 characters', 'x'.repeat(257)],
    ['no characters', ''],
  ])('is none with an id of %s, signed though it is', (_what, id) => {
    const signature = new Webhook(vector.secret).sign(id, new Date(AT_MS), vector.content);
    expect(verdict({ id, signature })).toEqual({
      problem: 'webhook-id is missing or malformed',
    });
  });

  test('is none for a part of what was signed, read as if it belonged to the time', () => {
    const signature = new Webhook(vector.secret).sign(vector.id, new Date(AT_MS), '5.{}');
    expect(verdict({ signature, content: '5.{}' })).toEqual(genuine);
    expect(verdict({ signature, timestamp: `${vector.timestamp}.5`, content: '{}' })).toHaveProperty(
      'problem',
    );
  });

  test('is what the library of Standard Webhooks makes, whatever it signs', () => {
    const seconds = fc.integer({ min: 1_000_000_000, max: 4_000_000_000 });
    const id = fc.stringMatching(/^[a-zA-Z0-9_.-]{1,40}$/);
    fc.assert(
      fc.property(id, seconds, fc.string({ unit: 'grapheme' }), (someId, atS, content) => {
        const signature = new Webhook(vector.secret).sign(someId, new Date(atS * 1000), content);
        const timestamp = String(atS);
        expect(verdict({ id: someId, timestamp, signature, content, nowMs: atS * 1000 })).toEqual({
          id: someId,
        });
      }),
    );
  });

  test('is of the bytes: two bodies that look the same as text differ', () => {
    const [one, other] = [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from([0x7b, 0xfe, 0x7d])];
    const signature = new Webhook(vector.secret).sign(vector.id, new Date(AT_MS), one.toString());
    expect(verdict({ signature, content: one })).toEqual({ problem: 'signature mismatch' });
    expect(verdict({ signature, content: other })).toEqual({ problem: 'signature mismatch' });
  });
});
