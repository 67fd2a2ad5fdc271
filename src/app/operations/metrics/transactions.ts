import { Counter, Histogram, type Registry } from 'prom-client';
import { type EndedTransaction, transactionOutcomes } from '../../../store/instrumented-store.ts';

const TRANSACTION_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15];

/** Returns what counts a transaction. */
export function countTransactions(registry: Registry): (transacted: EndedTransaction) => void {
  const registers = [registry];
  const total = new Counter({
    name: 'docs_agent_store_transactions_total',
    help: 'Transactions of the store: done, undone by the program, or failed.',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'docs_agent_store_transaction_seconds',
    help: 'Transactions of the store, with what they waited for.',
    buckets: TRANSACTION_S,
    registers,
  });
  for (const outcome of transactionOutcomes) total.inc({ outcome }, 0);
  return ({ outcome, durationMs }) => {
    total.inc({ outcome });
    seconds.observe(durationMs / 1000);
  };
}
