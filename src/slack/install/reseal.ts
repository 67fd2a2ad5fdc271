import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import type { Store } from '../../store/store.ts';
import { type Vault, VaultError } from './vault.ts';

/** An installation whose token cannot be read; `why` includes what to do. */
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

/** A sentence about all of them. */
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
  /** How many were encrypted again, with the first key. */
  readonly resealed: number;
  /** How many tokens each key encrypts, after that. */
  readonly byKey: ReadonlyMap<string, number>;
  /** Left as they were. */
  readonly unreadable: readonly Unreadable[];
}

/** Encrypts all tokens that can be read with the first key. */
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
      // If a replica has changed it meanwhile, the next round sees it again.
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
