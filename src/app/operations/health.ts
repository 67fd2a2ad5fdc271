import type { ServerResponse } from 'node:http';
import { systemClock } from '#runtime/clock.ts';
import type { Route } from '#runtime/http-server.ts';

const CHECK_LIMIT_MS = 5_000;

export type HealthCheck = Readonly<{
  name: string;
  problem: () => Promise<string | null> | string | null;
  warnings?: () => Promise<readonly string[]> | readonly string[];
}>;

/** On a slow store, separate checks would pile up. */
export function shareInFlight<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= look().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** `/livez`: the process answers. `/readyz`: it can work, else 503 with reasons. */
export function healthRoutes(checks: readonly HealthCheck[]): Route[] {
  return [
    { path: '/livez', handle: (_request, response) => answer(response, 200, { ok: true }) },
    {
      path: '/readyz',
      handle: (_request, response) => {
        void readiness(checks).then((body) => answer(response, body.ok ? 200 : 503, body));
      },
    },
  ];
}

/** No checks: not started, or stopped. */
export async function readiness(checks: readonly HealthCheck[]) {
  const results = await Promise.all(
    checks.map(async ({ name, problem, warnings = () => [] }) => ({
      name,
      problem: await inTime(
        problem,
        (error) => (error instanceof Error ? error.message : 'failed'),
        `no answer within ${CHECK_LIMIT_MS / 1000} s`,
      ),
      // A check that fails reports that as its `problem`.
      warnings: await inTime(warnings, () => [], []),
    })),
  );
  const warnings = results.flatMap((result) => result.warnings);
  return {
    ok: results.length > 0 && results.every(({ problem }) => problem === null),
    checks: Object.fromEntries(results.map(({ name, problem }) => [name, problem ?? 'ok'])),
    ...(warnings.length > 0 && { warnings }),
  };
}

function inTime<T>(ask: () => Promise<T> | T, failed: (error: unknown) => T, late: T): Promise<T> {
  return systemClock.timeout(CHECK_LIMIT_MS, Promise.try(ask).catch(failed), late);
}

function answer(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
