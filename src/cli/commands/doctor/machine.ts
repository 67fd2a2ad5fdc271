import { createServer } from 'node:http';
import type { Config } from '../../../app/config/config.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { codeOf } from '../../../store/engines/connection-turns.ts';
import { type Finding, findingsOf } from './finding.ts';

const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** Whether the program could listen on its port. Port 0 is any free one. */
export async function listeningFindings(
  { http, slack, hooks }: Config,
  timeoutMs: number,
): Promise<Finding[]> {
  const { host, port, healthPort } = http;
  // Socket Mode needs it for health, installation pages, or webhooks.
  const opensPort =
    healthPort === null ||
    slack.transport.kind === 'http' ||
    slack.installing.kind === 'oauth' ||
    hooks.size > 0;
  const places = [
    ...(opensPort ? [{ variable: 'PORT', port }] : []),
    ...(healthPort === null ? [] : [{ variable: 'HEALTH_PORT', port: healthPort }]),
  ].filter((place) => place.port !== 0);
  const isRunning = () => answersAsWeDo(host, healthPort ?? port, timeoutMs);
  return Promise.all(places.map((place) => listeningFinding({ ...place, host }, isRunning)));
}

async function listeningFinding(
  { variable, host, port }: { readonly variable: string; readonly host: string; readonly port: number },
  isRunning: () => Promise<boolean>,
): Promise<Finding> {
  const findings = findingsOf('listening', variable);
  const place = `${host}:${port}`;
  const code = await tryToListen(host, port);
  if (code === null) return findings.ok(`${place} is free`);
  if (code !== 'EADDRINUSE') {
    return findings.error(
      `cannot listen on ${place} (${code})`,
      `Set HOST and ${variable} to what this machine offers.`,
    );
  }
  return (await isRunning())
    ? findings.ok(`${place} is in use by the running docs-agent`)
    : findings.error(
        `${place} is in use by another program`,
        `Stop what uses it, or set ${variable} to another.`,
      );
}

/** Null, or the system's error code. */
function tryToListen(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(codeOf(error) ?? error.name));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function answersAsWeDo(host: string, port: number, timeoutMs: number): Promise<boolean> {
  const name = EVERYWHERE.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  try {
    return await systemClock.abortAfter(timeoutMs, async (signal) => {
      const response = await fetch(`http://${name}:${port}/livez`, { signal, redirect: 'error' });
      return (await response.text()).trim() === '{"ok":true}';
    });
  } catch {
    return false;
  }
}

const NOTEWORTHY_MS = 5_000;
/** Posts of unknown fate and early replies are looked for within 60 s of Slack's time. */
const SLACK_LIMIT_MS = 45_000;
/** Two replicas may differ by 15 s, so each by half of that from Slack's time. */
const REPLICA_LIMIT_MS = 7_500;

const SET_CLOCK = "Set this machine's clock right, and keep it so (NTP).";

export function clockFindings(
  aheadMs: { readonly slack: number | null; readonly agentApi: number | null },
  hasReplicas: boolean,
): Finding[] {
  const { slack, agentApi } = aheadMs;
  const limitMs = hasReplicas ? REPLICA_LIMIT_MS : SLACK_LIMIT_MS;
  const harmless = `If it is right against Slack, the agent API's clock is wrong, which does no harm. ${SET_CLOCK}`;
  return [
    ...(slack === null ? [] : [clockFinding('against Slack', slack, limitMs, SET_CLOCK)]),
    ...(agentApi === null
      ? []
      : [clockFinding('against the agent API', agentApi, Number.POSITIVE_INFINITY, harmless)]),
  ];
}

function clockFinding(subject: string, aheadMs: number, limitMs: number, advice: string): Finding {
  const findings = findingsOf('clock', subject);
  const farMs = Math.abs(aheadMs);
  if (farMs < NOTEWORTHY_MS) return findings.ok('right');
  const found = `this machine is ${Math.round(farMs / 1000)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  return findings[farMs >= limitMs ? 'error' : 'warning'](found, advice);
}
