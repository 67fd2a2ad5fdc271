import { createSecretKey, type KeyObject } from 'node:crypto';
import { isPlaceholder, NOT_YOURS } from './placeholders.ts';

export interface EncryptionKey {
  /** Stands beside what it encrypted. */
  readonly id: string;
  /** Of 256 bits. It does not show when it is logged. */
  readonly key: KeyObject;
}

const ENTRY = /^([A-Za-z0-9._-]{1,40}):([A-Za-z0-9+/]{43}=)$/;

/** The keys of `id:key,id:key`, or what is wrong with them. Never says what a key is. */
export function parseEncryptionKeys(
  text: string,
): readonly [EncryptionKey, ...EncryptionKey[]] | { readonly wrong: string } {
  const entries = text.split(',').map((entry) => ENTRY.exec(entry.trim()));
  const keys = entries.flatMap((entry) => {
    const [, id = '', secret = ''] = entry ?? [];
    return entry === null ? [] : [{ id, key: createSecretKey(secret, 'base64') }];
  });
  const [first, ...others] = keys;
  if (first === undefined || keys.length < entries.length) {
    return {
      wrong:
        'must be a name and 32 bytes in base64 ("openssl rand -base64 32"), as in the example; several with commas between',
    };
  }
  if (entries.some((entry) => isPlaceholder(entry?.[2] ?? ''))) return { wrong: NOT_YOURS };
  const ids = keys.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  return repeated === undefined ? [first, ...others] : { wrong: `names two keys ${repeated}` };
}
