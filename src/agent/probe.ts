import { Pool } from 'undici';
import { clockAheadMs } from '../operations/clock-difference.ts';
import { headersFor, parseJson } from './attempt.ts';
import { decodeErrorText } from './decode.ts';
import { codeOf } from './errors.ts';
import { exchange } from './exchange.ts';
import { agentPaths } from './paths.ts';

/** No job has this id. */
const NO_JOB = 'docs-agent-doctor-no-such-job';

export interface ProbeOptions {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** What the API answers to a get of a job that does not exist: 404, unless something is wrong. */
export type Probe =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The API's own words, without the key; untrusted. */
      readonly words: string | null;
      readonly latencyMs: number;
      /** See `clockAheadMs`. */
      readonly clockAheadMs: number | null;
    }
  /** `code`: the system's error code, or the error's name. */
  | { readonly kind: 'unreachable'; readonly code: string };

/** Asks the agent API once, and changes nothing there. Never throws. */
export async function probeProject({ baseUrl, projectId, apiKey, timeoutMs }: ProbeOptions): Promise<Probe> {
  const paths = agentPaths(baseUrl);
  const pool = new Pool(paths.origin, { allowH2: false, connectTimeout: timeoutMs });
  const sentAtMs = Date.now();
  const startedMs = performance.now();
  const path = paths.job(projectId, NO_JOB);
  const request = { method: 'GET', path, headers: headersFor(apiKey) } as const;
  const limits = { signal: AbortSignal.timeout(timeoutMs), sendByMs: sentAtMs + timeoutMs };
  const result = await exchange(pool, request, limits);
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
