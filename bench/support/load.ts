import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

export interface LoadRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface LoadOptions {
  readonly port: number;
  /** The next request; none is sent twice. */
  readonly next: () => LoadRequest;
  /** How many are under way at once, each on a connection of its own. */
  readonly atOnce: number;
  /** Ends with the answers to what was sent in this time, or to this many. */
  readonly until: { readonly durationMs: number } | { readonly count: number };
  /** From one request of a connection to its next, at least. Left out: none. */
  readonly everyMs?: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

/** Sends Slack's requests to a process of this machine. Throws unless each is answered with 200. */
export async function sendLoad({ port, next, atOnce, until, everyMs = 0 }: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce });
  const latenciesMs: number[] = [];
  const beganAtMs = performance.now();
  let sent = 0;
  const goesOn = () =>
    'count' in until ? sent < until.count : performance.now() - beganAtMs < until.durationMs;
  const sender = async () => {
    while (goesOn()) {
      sent += 1;
      const request = next();
      const sentAtMs = performance.now();
      await post(pool, request);
      const latencyMs = performance.now() - sentAtMs;
      latenciesMs.push(latencyMs);
      if (latencyMs < everyMs) await pause(everyMs - latencyMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  const seconds = (performance.now() - beganAtMs) / 1_000;
  await pool.close();
  return { answers: latenciesMs.length, perSecond: latenciesMs.length / seconds, latenciesMs };
}

/** Throws unless it is answered with 200. By `dispatch`, which costs a third of `request`. */
export function post(pool: Pool, { headers, body }: LoadRequest): Promise<void> {
  const answered = Promise.withResolvers<void>();
  let status = 0;
  pool.dispatch(
    { method: 'POST', path: '/slack/events', headers, body },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        if (status === 200) answered.resolve();
        else answered.reject(new Error(`a request was answered with ${status}`));
      },
      onResponseError: (_controller, error) => answered.reject(error),
    },
  );
  return answered.promise;
}
