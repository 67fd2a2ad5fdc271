import { Pool } from 'undici';
import { clockAheadMs, systemClock } from '#engine/runtime/clock.ts';
import { exchange, parseJson } from '#engine/runtime/exchange.ts';
import { agentPaths, codeOf, decodeErrorText, httpRequest } from './client.ts';

const NO_JOB = 'docs-agent-doctor-no-such-job';

type ProbeOptions = Readonly<{ baseUrl: string; projectId: string; apiKey: string; timeoutMs: number }>;

export type Probe = Awaited<ReturnType<typeof probe>>;

/** 404 if all is well, since the job does not exist; 400 if an empty prompt may be written. Never throws. */
export async function probe(
  what: 'reading' | 'writing',
  { baseUrl, projectId, apiKey, timeoutMs }: ProbeOptions,
) {
  const { origin, jobs, job } = agentPaths(baseUrl);
  const request =
    what === 'reading'
      ? ({ path: job(projectId, NO_JOB), isRead: true } as const)
      : { path: jobs(projectId), prompt: '' };
  const pool = new Pool(origin, { allowH2: false, connectTimeout: timeoutMs });
  const sentAtMs = Date.now();
  const startedMs = performance.now();
  const result = await systemClock.abortAfter(timeoutMs, (signal) =>
    exchange(pool, httpRequest(request, apiKey), { signal, sendByMs: sentAtMs + timeoutMs }),
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
