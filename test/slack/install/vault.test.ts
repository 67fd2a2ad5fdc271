import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Vault, VaultError } from '../../../src/slack/install/vault.ts';

const key = (id: string, fill: number) => ({ id, key: createSecretKey(Buffer.alloc(32, fill)) });
const k1 = key('k1', 1);
const sealed = new Vault([k1]).seal('T1', 'xoxb-1');

describe('tokens in the store', () => {
  test('look different each time, and show nothing of the token', () => {
    const again = new Vault([k1]).seal('T1', 'xoxb-1');
    expect(again.botToken).not.toBe(sealed.botToken);
    expect(Buffer.from(sealed.botToken, 'base64').includes('xoxb')).toBe(false);
  });

  test.each([
    ['of another workspace', 'T2', sealed],
    ['changed', 'T1', { ...sealed, botToken: changed(sealed.botToken) }],
    ['cut', 'T1', { ...sealed, botToken: sealed.botToken.slice(0, 20) }],
    ['empty', 'T1', { ...sealed, botToken: '' }],
    ['something else', 'T1', { ...sealed, botToken: randomBytes(60).toString('base64') }],
  ])('that are %s are not read', (_what, id, row) => {
    expect(() => new Vault([k1]).open(id, row)).toThrow(VaultError);
  });
});

function changed(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  bytes[14] = (bytes[14] ?? 0) ^ 1;
  return bytes.toString('base64');
}
