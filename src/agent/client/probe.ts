import { Pool } from 'undici';
import { clockAheadMs, systemClock } from '../../engine/runtime/clock.ts';
import { exchange, parseJson } from '../../engine/runtime/exchange.ts';
import { agentPaths, codeOf, decodeErrorText, headersFor } from './client.ts';

const NO_JOB = 'docs-agent-doctor-no-such-job';

type ProbeOptions = Readonly<{ baseUrl: string; projectId: string; apiKey: string; timeoutMs: number }>;

export type Probe = Awaited<ReturnType<typeof probe>>;

/** 404 if all is well: the job does not exist. Never throws. */
export function probeProject(options: ProbeOptions) {
  return probe(options, 'GET', agentPaths(options.baseUrl).job(options.projectId, NO_JOB), null);
}

/** 400 if the key may write: the prompt is empty. Never throws. */
export function probeWriting(options: ProbeOptions) {
  return probe(options, 'POST', agentPaths(options.baseUrl).jobs(options.projectId), { prompt: '' });
}

async function probe(
  { baseUrl, apiKey, timeoutMs }: ProbeOptions,
  method: 'GET' | 'POST',
  path: string,
  content: object | null,
) {
  const headers = { ...headersFor(apiKey), ...(content && { 'content-type': 'application/json' }) };
  const request = { method, path, headers, body: content && JSON.stringify(content) };
  const pool = new Pool(agentPaths(baseUrl).origin, { allowH2: false, connectTimeout: timeoutMs });
  const sentAtMs = Date.now();
  const startedMs = performance.now();
  const result = await systemClock.abortAfter(timeoutMs, (signal) =>
    exchange(pool, request, { signal, sendByMs: sentAtMs + timeoutMs }),
  );
  const latencyMs = performance.now() - startedMs;
  void pool.destroy();
  if (result.kind !== 'answered') return { kind: 'unreachable', code: codeOf(result.cause) } as const;
  const { status, headers: answered } = result.head;
  const date = typeof answered.date === 'string' ? answered.date : null;
  return {
    kind: 'answered',
    status,
    words: result.body === null ? null : decodeErrorText(parseJson(result.body), apiKey),
    latencyMs,
    clockAheadMs: clockAheadMs(date, { sentAtMs, answeredAtMs: Date.now() }),
  } as const;
}
