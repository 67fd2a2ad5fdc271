import { StoreError } from './errors.ts';
import type { Store } from './store.ts';

export const transactionOutcomes = ['done', 'undone', 'failed'] as const;

/** How a transaction of the store ended: `undone` by the program, `failed` by the store. */
export interface EndedTransaction {
  readonly outcome: (typeof transactionOutcomes)[number];
  readonly durationMs: number;
}

/** The same store, which reports how each transaction ended. */
export function instrumentedStore(store: Store, report: (transacted: EndedTransaction) => void): Store {
  return {
    transaction: async (work) => {
      const startedAtMs = performance.now();
      const ended = (outcome: EndedTransaction['outcome']) =>
        report({ outcome, durationMs: performance.now() - startedAtMs });
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
