import { afterEach, beforeEach } from 'vitest';
import type { Store, Transaction } from '../../../src/store/store.ts';

/** Opens a store in which nothing is written. */
export type OpenStore = () => Promise<Store>;

export interface Opened {
  readonly store: Store;
  /** Runs `work` in a transaction of its own. */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** An empty store for each test of the suite, closed after it. */
export function useStore(open: OpenStore): Opened {
  let store: Store | null = null;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store?.close();
    store = null;
  });
  const current = (): Store => {
    if (store === null) throw new Error('The store is open during tests only');
    return store;
  };
  return {
    get store() {
      return current();
    },
    run: (work) => current().transaction(work),
  };
}
