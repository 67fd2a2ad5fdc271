import type { ServerResponse } from 'node:http';
import type { Route } from '../../engine/runtime/http-server.ts';
import { within } from './within.ts';

/** Who asks wants an answer, also when a database does not give one. */
const CHECK_LIMIT_MS = 5_000;

/** What must be well for the program to do its work; `problem` tells what is not, or null. */
export interface HealthCheck {
  readonly name: string;
  problem(): Promise<string | null> | string | null;
  /** What should be looked at, though the program does its work. */
  warnings?(): readonly string[];
}

/** Whoever asks while a look is under way shares its answer: on a slow store, looks would pile up. */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= look().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** `/livez`: the process answers. `/readyz`: it can do its work; 503 with the reasons when it cannot. */
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

export interface Readiness {
  readonly ok: boolean;
  /** By the check's name: `ok`, or what is wrong. */
  readonly checks: Readonly<Record<string, string>>;
  /** Only if there are any. */
  readonly warnings?: readonly string[];
}

/** No checks: the program does not work yet, or not any more. */
export async function readiness(checks: readonly HealthCheck[]): Promise<Readiness> {
  const results = await Promise.all(
    checks.map(async (check) => {
      try {
        return [check.name, await within(CHECK_LIMIT_MS, check.problem())] as const;
      } catch (error) {
        return [check.name, error instanceof Error ? error.message : 'failed'] as const;
      }
    }),
  );
  const warnings = checks.flatMap((check) => check.warnings?.() ?? []);
  return {
    ok: results.length > 0 && results.every(([, problem]) => problem === null),
    checks: Object.fromEntries(results.map(([name, problem]) => [name, problem ?? 'ok'])),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
