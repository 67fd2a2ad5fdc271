import { afterEach, beforeEach } from 'vitest';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import type { ClaimedTask, Store, Transaction } from '../../../src/store/store.ts';
import { aDecision, claimDue, type Due, NOW_MS } from './samples.ts';

/** Opens a store in which nothing is written. */
export type OpenStore = () => Promise<Store>;

export interface Opened {
  readonly store: Store;
  /** Runs `work` in a transaction of its own. */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Stores a decision about a job. */
  write(fields?: Partial<Decision>, nowMs?: number): Promise<void>;
  schedule(kind: TaskKind, subject: string, runAtMs: number, how?: 'keep' | 'replace'): Promise<void>;
  /** Claims what is due then, for a second. */
  claim(...due: Due): Promise<ClaimedTask[]>;
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
    write: (fields, nowMs = NOW_MS) => current().transaction((tx) => tx.write(aDecision(fields), nowMs)),
    schedule: (kind, subject, runAtMs, ifScheduled = 'keep') =>
      current().transaction((tx) => tx.tasks.schedule({ kind, subject, runAtMs, ifScheduled })),
    claim: (...due) => current().transaction((tx) => claimDue(tx, ...due)),
  };
}
