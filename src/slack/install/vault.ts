import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { SealedToken, StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import type { Store } from '../../store/store.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One of TOKEN_ENCRYPTION_KEY. */
interface Key {
  /** Stored beside what the key encrypted. */
  readonly id: string;
  readonly key: KeyObject;
}

/** A token cannot be read. The message says why and what to do, and holds nothing of the token. */
export class VaultError extends Error {
  readonly keyId: string;

  constructor(message: string, keyId: string) {
    super(message);
    this.name = 'VaultError';
    this.keyId = keyId;
  }
}

/** Encrypts tokens so that they can be read only for their own installation. */
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
    const [{ id, key }] = this.keys;
    return { keyId: id, botToken: encrypt(key, botToken, place(installationId)) };
  }

  open(installationId: string, { keyId, botToken }: SealedToken): string {
    const key = this.keys.find(({ id }) => id === keyId)?.key;
    if (key === undefined) {
      throw new VaultError(`the key "${keyId}" is not among those of TOKEN_ENCRYPTION_KEY: add it`, keyId);
    }
    try {
      return decrypt(key, botToken, place(installationId));
    } catch {
      const message = `the key "${keyId}" of TOKEN_ENCRYPTION_KEY is not the one that they were stored with, or the row was changed`;
      throw new VaultError(message, keyId);
    }
  }
}

/** Authenticated with the text: a copy in another row cannot be read. */
function place(installationId: string): Buffer {
  return Buffer.from(`installation/${installationId}/bot_token`);
}

function encrypt(key: KeyObject, text: string, where: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(where);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64');
}

function decrypt(key: KeyObject, sealed: string, where: Buffer): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const encrypted = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(where);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}

/** An installation with an unreadable token; `why` includes what to do. */
export interface Unreadable {
  readonly id: string;
  readonly keyId: string;
  readonly why: string;
}

/** How many tokens can be read, and which cannot. */
export async function readableTokens(
  store: Store,
  vault: Vault,
): Promise<{ readonly readable: number; readonly unreadable: readonly Unreadable[] }> {
  const installations = await store.transaction((tx) => tx.installations.all());
  const unreadable = installations.flatMap((installation) => problemOf(vault, installation) ?? []);
  return { readable: installations.length - unreadable.length, unreadable };
}

export function unreadableTokens(unreadable: readonly Unreadable[]): string {
  const ids = unreadable.map(({ id }) => id).join(', ');
  const count = unreadable.length === 1 ? 'one installation' : `${unreadable.length} installations`;
  const why = [...new Set(unreadable.map((one) => one.why))].join('; ');
  return `The tokens of ${count} (${ids}) cannot be read: ${why}.`;
}

function problemOf(vault: Vault, { id, token }: StoredInstallation): Unreadable | null {
  try {
    vault.open(id, token);
    return null;
  } catch (error) {
    if (error instanceof VaultError) return { id, keyId: error.keyId, why: error.message };
    throw error;
  }
}

export interface Resealed {
  /** How many were encrypted again with the first key. */
  readonly resealed: number;
  /** How many tokens each key then encrypts. */
  readonly byKey: ReadonlyMap<string, number>;
  /** Left as they were. */
  readonly unreadable: readonly Unreadable[];
}

/** Encrypts all readable tokens with the first key. */
export async function resealAll(store: Store, vault: Vault): Promise<Resealed> {
  let resealed = 0;
  for (;;) {
    const installations = await store.transaction((tx) => tx.installations.all());
    const unreadable = installations.flatMap((installation) => problemOf(vault, installation) ?? []);
    const others = installations.filter(
      ({ id, token }) => token.keyId !== vault.keyId && !unreadable.some((one) => one.id === id),
    );
    if (others.length === 0) return { resealed, byKey: countKeys(installations), unreadable };
    for (const { id, revision, token } of others) {
      const sealed = vault.seal(id, vault.open(id, token));
      // If a replica changed it meanwhile, the next round sees it again.
      const isDone = await store.transaction((tx) => tx.installations.reseal(id, revision, sealed));
      if (isDone) resealed += 1;
    }
  }
}

function countKeys(installations: readonly StoredInstallation[]): ReadonlyMap<string, number> {
  const byKey = new Map<string, number>();
  for (const { token } of installations) byKey.set(token.keyId, (byKey.get(token.keyId) ?? 0) + 1);
  return byKey;
}
