import { StoreError } from './errors.ts';
import type { Store } from './store.ts';

export const transactionOutcomes = ['done', 'undone', 'failed'] as const;

/** How a transaction of the store ended: `undone` by the program, `failed` by the store. */
export interface Transacted {
  readonly outcome: (typeof transactionOutcomes)[number];
  readonly durationMs: number;
}

/** The same store; how each transaction ended is told. */
export function observedStore(store: Store, tell: (transacted: Transacted) => void): Store {
  return {
    transaction: async (work) => {
      const startedAtMs = performance.now();
      const ended = (outcome: Transacted['outcome']) =>
        tell({ outcome, durationMs: performance.now() - startedAtMs });
      try {
        const result = await store.transaction(work);
        ended('done');
        return result;
      } catch (error) {
        ended(error instanceof StoreError ? 'failed' : 'undone');
        throw error;
      }
    },
    onScheduled: (listener) => store.onScheduled(listener),
    check: () => store.check(),
    close: () => store.close(),
  };
}
