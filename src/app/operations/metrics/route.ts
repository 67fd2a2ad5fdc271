import type { ServerResponse } from 'node:http';
import type { Route } from '../../../engine/runtime/http-server.ts';
import type { Metrics } from './metrics.ts';
import type { ProgramState } from './state.ts';

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
