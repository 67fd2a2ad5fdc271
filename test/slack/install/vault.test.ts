import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Vault, VaultError } from '../../../src/slack/install/vault.ts';

const key = (id: string, fill: number) => ({ id, key: createSecretKey(Buffer.alloc(32, fill)) });
const [k1, k2] = [key('k1', 1), key('k2', 2)];
const sealed = new Vault([k1]).seal('T1', 'xoxb-1');

describe('tokens in the store', () => {
  test('are read with the key, also behind a newer one', () => {
    expect(new Vault([k1]).open('T1', sealed)).toBe('xoxb-1');
    expect(new Vault([k2, k1]).open('T1', sealed)).toBe('xoxb-1');
    expect(new Vault([k2, k1]).seal('T1', 'xoxb-1').keyId).toBe('k2');
  });

  test('look different each time, and show nothing of the token', () => {
    const again = new Vault([k1]).seal('T1', 'xoxb-1');
    expect(again.botToken).not.toBe(sealed.botToken);
    expect(Buffer.from(sealed.botToken, 'base64').includes('xoxb')).toBe(false);
  });

  test('cannot be read with another key, and the key is named', () => {
    expect(() => new Vault([k2]).open('T1', sealed)).toThrow('the key "k1" is not among those');
    const renamed = { ...key('k1', 9) };
    expect(() => new Vault([renamed]).open('T1', sealed)).toThrow(
      'the key "k1" of TOKEN_ENCRYPTION_KEY is not the one',
    );
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
