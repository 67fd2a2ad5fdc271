import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { SealedToken } from '#store/queries/workspaces.ts';
import type { Store } from '#store/store.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  readonly id: string;
  readonly key: KeyObject;
}

/** Contains nothing of the token. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

export class Vault {
  private readonly keys: readonly [Key, ...Key[]];

  /** The first key encrypts, all decrypt. */
  constructor(keys: readonly [Key, ...Key[]]) {
    this.keys = keys;
  }

  get keyId(): string {
    return this.keys[0].id;
  }

  seal(installationId: string, botToken: string): SealedToken {
    const [{ id: keyId, key }] = this.keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(rowOf(installationId));
    const encrypted = Buffer.concat([cipher.update(botToken, 'utf8'), cipher.final()]);
    return { keyId, botToken: Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64') };
  }

  open(installationId: string, { keyId, botToken }: SealedToken): string {
    const key = this.keys.find(({ id }) => id === keyId)?.key;
    if (key === undefined) {
      throw new VaultError(`the key "${keyId}" is not among those of TOKEN_ENCRYPTION_KEY: add it`);
    }
    try {
      const bytes = Buffer.from(botToken, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(rowOf(installationId)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const encrypted = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      throw new VaultError(
        `the key "${keyId}" of TOKEN_ENCRYPTION_KEY is not the one that they were stored with, or the row was changed`,
      );
    }
  }
}

/** Authenticated data: a copy in another row is unreadable. */
function rowOf(installationId: string): Buffer {
  return Buffer.from(`installation/${installationId}/bot_token`);
}

export async function readTokens(store: Store, vault: Vault) {
  const installations = await store.transaction((tx) => tx.installations.all());
  const unreadable = installations.flatMap(({ id, token }) => {
    try {
      vault.open(id, token);
      return [];
    } catch (error) {
      if (error instanceof VaultError) return [{ id, keyId: token.keyId, why: error.message }];
      throw error;
    }
  });
  return { installations, unreadable };
}

export function unreadableTokens(unreadable: readonly { id: string; why: string }[]) {
  const ids = unreadable.map(({ id }) => id).join(', ');
  const count = unreadable.length === 1 ? 'one installation' : `${unreadable.length} installations`;
  const why = [...new Set(unreadable.map((one) => one.why))].join('; ');
  return `The tokens of ${count} (${ids}) cannot be read: ${why}.`;
}

export async function resealAll(store: Store, vault: Vault) {
  let resealed = 0;
  for (;;) {
    const { installations, unreadable } = await readTokens(store, vault);
    const others = installations.filter(
      ({ id, token }) => token.keyId !== vault.keyId && !unreadable.some((one) => one.id === id),
    );
    if (others.length === 0) return { resealed, installations, unreadable };
    for (const installation of others) {
      const { id, token } = installation;
      const sealed = vault.seal(id, vault.open(id, token));
      // Otherwise a replica changed it: the next round retries.
      if (await store.transaction((tx) => tx.installations.reseal(installation, sealed))) resealed += 1;
    }
  }
}
