import type { Config } from '#app/config/config.ts';
import { localAddress, serveRoutes } from '#runtime/http-server.ts';
import { scrub } from '#runtime/redact.ts';
import { codeOf, heldLockWords, StoreError } from '#store/engines/database.ts';
import { inspectStore, type StoreFacts } from '#store/inspect.ts';
import { type Finding, findingsOf, type Given } from './finding.ts';

const MIB = 1024 ** 2;
/** A busy team writes 100 MiB a year; the write-ahead log may need as much. */
const FEW_BYTES = 1024 * MIB;
const TOO_FEW_BYTES = 100 * MIB;

const STATES: Readonly<Record<StoreFacts['state'], string>> = {
  absent: 'empty; created at the first start',
  in_use: 'in use by a running docs-agent (its /readyz says whether it can write)',
  writable: 'can be written',
};

export async function checkStore({ config, tools }: Given<Config>) {
  try {
    const facts = await inspectStore(config.store, tools.clock.now());
    return { facts, findings: storeFindings(facts) };
  } catch (error) {
    return { facts: null, findings: storeFailure(error) };
  }
}

export function storeFindings(facts: StoreFacts): Finding[] {
  const { place, state, schema, sizeBytes, freeBytes } = facts;
  const size = sizeBytes === null ? [] : [sizeText(sizeBytes)];
  return [
    findingsOf('store').ok([place, STATES[state], ...size].join(', ')),
    ...(state === 'absent' ? [] : [schemaFinding(schema)]),
    ...(freeBytes === null ? [] : [spaceFinding(freeBytes)]),
    ...facts.heldLocks.map((lock) =>
      findingsOf('store_lock').warning(
        heldLockWords(lock),
        `If it should not, end it: select pg_terminate_backend(${lock.pid});`,
      ),
    ),
    ...facts.failures.map(({ kind, count, sinceMs, words }) =>
      findingsOf('work', kind).error(
        `${count === 1 ? '1 task has failed' : `${count} tasks have failed`} at every try since ${new Date(sinceMs).toISOString()}: ${words}`,
        'Do what the error says. If it does not help, keep the log (task_failed) and report it. Nothing is lost: ' +
          'each task is tried again every five minutes.',
      ),
    ),
  ];
}

export function storeFailure(error: unknown): Finding[] {
  if (!(error instanceof StoreError)) throw error;
  // After the first sentence comes advice, if any.
  const [found = '', ...advice] = error.message.split(/(?<=\.) /);
  const general = 'Check the database itself: its log, its disk and the network to it.';
  return [findingsOf('store').error(found, scrub(advice.join(' ')) || general)];
}

function schemaFinding({ applied, missing, unknown }: StoreFacts['schema']) {
  const { ok, warning, error } = findingsOf('store_schema');
  if (unknown.length > 0) {
    return error(
      `newer than this docs-agent (${unknown.join(', ')})`,
      'Start the version that wrote it, or a later one.',
    );
  }
  if (missing.length > 0) {
    return warning(
      `older than this docs-agent (without ${missing.join(', ')})`,
      'Back up, then start docs-agent: it brings the schema up to date.',
    );
  }
  return ok(`up to date (${applied.at(-1) ?? ''})`);
}

function spaceFinding(freeBytes: number) {
  const { ok, warning, error } = findingsOf('store_space');
  const found = `${sizeText(freeBytes)} free`;
  if (freeBytes >= FEW_BYTES) return ok(found);
  const next = 'Make room on the disk: when it is full, nothing can be stored.';
  return freeBytes < TOO_FEW_BYTES ? error(found, next) : warning(found, next);
}

function sizeText(bytes: number) {
  const mib = bytes / MIB;
  return mib < 1024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}

export async function listeningFindings({ config, tools }: Given<Config>): Promise<Finding[]> {
  const { http, slack, featureSecrets } = config;
  const { host, port, healthPort } = http;
  // Socket Mode needs it for health, OAuth pages or webhooks, which have secrets.
  const opensPort =
    healthPort === null ||
    slack.transport.kind === 'http' ||
    slack.installing.kind === 'oauth' ||
    featureSecrets.size > 0;
  const ports = { PORT: opensPort ? port : 0, HEALTH_PORT: healthPort ?? 0 };
  // 0: any free port.
  const used = Object.entries(ports).filter(([, port]) => port !== 0);
  return Promise.all(
    used.map(async ([variable, port]) => {
      const { ok, error } = findingsOf('listening', variable);
      const place = `${host}:${port}`;
      const code = await tryToListen(host, port);
      if (code === null) return ok(`${place} is free`);
      if (code !== 'EADDRINUSE') {
        const next = `Set HOST and ${variable} to what this machine offers.`;
        return error(`cannot listen on ${place} (${code})`, next);
      }
      return (await answersAsWeDo(host, healthPort ?? http.port, tools.timeoutMs))
        ? ok(`${place} is in use by the running docs-agent`)
        : error(`${place} is in use by another program`, `Stop what uses it, or set ${variable} to another.`);
    }),
  );
}

async function tryToListen(host: string, port: number) {
  try {
    const server = await serveRoutes([], { host, port });
    await server.close();
    return null;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

async function answersAsWeDo(host: string, port: number, timeoutMs: number) {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${localAddress(host, port)}/livez`, { signal, redirect: 'error' });
    return (await response.text()).trim() === '{"ok":true}';
  } catch {
    return false;
  }
}

const NOTEWORTHY_MS = 5_000;
/** Searches for unclear posts allow 60 s. */
const SLACK_LIMIT_MS = 45_000;
/** Replicas may differ by 15 s, so half of that each. */
const REPLICA_LIMIT_MS = 7_500;

export function clockFindings(aheadMs: number | null, hasReplicas: boolean): Finding[] {
  if (aheadMs === null) return [];
  const { ok, warning, error } = findingsOf('clock', 'against Slack');
  const farMs = Math.abs(aheadMs);
  if (farMs < NOTEWORTHY_MS) return [ok('right')];
  const report = farMs >= (hasReplicas ? REPLICA_LIMIT_MS : SLACK_LIMIT_MS) ? error : warning;
  const found = `this machine is ${Math.round(farMs / 1000)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  return [report(found, "Set this machine's clock right, and keep it so (NTP).")];
}
