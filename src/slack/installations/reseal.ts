import type { StoredInstallation } from '../../store/queries/installations.ts';
import type { Store } from '../../store/store.ts';
import { type Vault, VaultError } from './vault.ts';

/** What keeps tokens from being read, with what to do; null if all can be. */
export async function unreadable(store: Store, vault: Vault): Promise<string | null> {
  const installations = await store.transaction((tx) => tx.installations.all());
  const problems = installations.flatMap((installation) => problemOf(vault, installation) ?? []);
  if (problems.length === 0) return null;
  const count =
    problems.length === 1
      ? 'The tokens of one installation'
      : `The tokens of ${problems.length} installations`;
  return `${count} cannot be read: ${[...new Set(problems)].join('; ')}.`;
}

function problemOf(vault: Vault, { id, tokens }: StoredInstallation): string | null {
  try {
    vault.open(id, tokens);
    return null;
  } catch (error) {
    if (error instanceof VaultError) return error.message;
    throw error;
  }
}

export interface Resealed {
  /** How many were put under the first key now. */
  readonly resealed: number;
  /** How many tokens are under which key, after that. */
  readonly byKey: ReadonlyMap<string, number>;
}

/** Puts all tokens under the first key. Throws VaultError if one cannot be read; the others may be done then. */
export async function resealAll(store: Store, vault: Vault): Promise<Resealed> {
  let resealed = 0;
  for (;;) {
    const installations = await store.transaction((tx) => tx.installations.all());
    const others = installations.filter(({ tokens }) => tokens.keyId !== vault.keyId);
    if (others.length === 0) return { resealed, byKey: countKeys(installations) };
    for (const { id, revision, tokens } of others) {
      const sealed = vault.seal(id, vault.open(id, tokens));
      // If a replica has changed it meanwhile, it is looked at again.
      const isDone = await store.transaction((tx) => tx.installations.reseal(id, revision, sealed));
      if (isDone) resealed += 1;
    }
  }
}

function countKeys(installations: readonly StoredInstallation[]): ReadonlyMap<string, number> {
  const byKey = new Map<string, number>();
  for (const { tokens } of installations) byKey.set(tokens.keyId, (byKey.get(tokens.keyId) ?? 0) + 1);
  return byKey;
}
