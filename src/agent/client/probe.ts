import { type Dispatcher, Pool } from 'undici';
import { clockAheadMs, systemClock } from '../../engine/runtime/clock.ts';
import { exchange, parseJson } from '../../engine/runtime/exchange.ts';
import { codeOf, decodeErrorText, headersFor } from './attempt.ts';
import { agentPaths } from './client.ts';

/** No job has this id. */
const NO_JOB = 'docs-agent-doctor-no-such-job';

export type ProbeOptions = Readonly<{
  baseUrl: string;
  projectId: string;
  apiKey: string;
  timeoutMs: number;
}>;

export type Probe = Readonly<
  | {
      kind: 'answered';
      status: number;
      words: string | null;
      latencyMs: number;
      /** See `clockAheadMs`. */
      clockAheadMs: number | null;
    }
  /** `code`: the system's error code, or the error's name. */
  | { kind: 'unreachable'; code: string }
>;

/**
 * Asks for a job that does not exist, which changes nothing: 404, unless something is wrong. Never throws.
 */
export function probeProject(options: ProbeOptions): Promise<Probe> {
  const path = agentPaths(options.baseUrl).job(options.projectId, NO_JOB);
  return probe(options, { method: 'GET', path, headers: headersFor(options.apiKey) });
}

/**
 * Asks to create a job with an empty prompt, which the API must refuse: 400, if the key may write. Never
 * throws.
 */
export function probeWriting(options: ProbeOptions): Promise<Probe> {
  const path = agentPaths(options.baseUrl).jobs(options.projectId);
  const headers = { ...headersFor(options.apiKey), 'content-type': 'application/json' };
  return probe(options, { method: 'POST', path, headers, body: JSON.stringify({ prompt: '' }) });
}

async function probe(
  { baseUrl, apiKey, timeoutMs }: ProbeOptions,
  request: Dispatcher.DispatchOptions,
): Promise<Probe> {
  const pool = new Pool(agentPaths(baseUrl).origin, { allowH2: false, connectTimeout: timeoutMs });
  const sentAtMs = Date.now();
  const startedMs = performance.now();
  const result = await systemClock.abortAfter(timeoutMs, (signal) =>
    exchange(pool, request, { signal, sendByMs: sentAtMs + timeoutMs }),
  );
  const latencyMs = performance.now() - startedMs;
  void pool.destroy();
  if (result.kind !== 'answered') return { kind: 'unreachable', code: codeOf(result.cause) };
  const { status, headers } = result.head;
  const date = typeof headers.date === 'string' ? headers.date : null;
  return {
    kind: 'answered',
    status,
    words: result.body === null ? null : decodeErrorText(parseJson(result.body), apiKey),
    latencyMs,
    clockAheadMs: clockAheadMs(date, { sentAtMs, answeredAtMs: Date.now() }),
  };
}
