import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { Route } from '../../../engine/runtime/http-server.ts';
import type { EndedTransaction } from '../../../store/instrumented-store.ts';
import type { Observe } from '../logger.ts';
import { countOperations } from './operations.ts';
import { measureProcess } from './process.ts';
import { type ProgramState, showState } from './state.ts';
import { countTransactions } from './transactions.ts';

/** What Prometheus asks for. Each has its own counters, so that several services can live in one process. */
export interface Metrics {
  readonly observe: Observe;
  readonly transaction: (transacted: EndedTransaction) => void;
  readonly contentType: string;
  /** All metrics in the text format, those of the program's state as it is now. */
  text(state: ProgramState): Promise<string>;
  close(): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const observe = countOperations(registry);
  const transaction = countTransactions(registry);
  const show = showState(registry);
  const process = measureProcess(registry);
  return {
    observe,
    transaction,
    contentType: registry.contentType,
    text: (state) => {
      show(state);
      return registry.metrics();
    },
    close: () => process.close(),
  };
}

/** `/metrics`, for Prometheus. */
export function metricsRoute(metrics: Metrics, readState: () => Promise<ProgramState>): Route {
  return { path: '/metrics', handle: (_request, response) => void answer(metrics, readState, response) };
}

async function answer(
  metrics: Metrics,
  readState: () => Promise<ProgramState>,
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await metrics.text(await readState());
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
