import type { Config } from '#app/config/config.ts';
import { systemClock } from '#runtime/clock.ts';
import { localAddress, serveRoutes } from '#runtime/http-server.ts';
import { codeOf } from '#store/engines/database.ts';
import { type Finding, findingsOf } from './finding.ts';

export async function listeningFindings(
  { http, slack, featureSecrets }: Config,
  timeoutMs: number,
): Promise<Finding[]> {
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
      return (await answersAsWeDo(host, healthPort ?? http.port, timeoutMs))
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
    return await systemClock.abortAfter(timeoutMs, async (signal) => {
      const response = await fetch(`${localAddress(host, port)}/livez`, { signal, redirect: 'error' });
      return (await response.text()).trim() === '{"ok":true}';
    });
  } catch {
    return false;
  }
}

const NOTEWORTHY_MS = 5_000;
/** Searches for unclear posts allow 60 s. */
const SLACK_LIMIT_MS = 45_000;
/** Replicas may differ by 15 s, so half of that each. */
const REPLICA_LIMIT_MS = 7_500;

const SET_CLOCK = "Set this machine's clock right, and keep it so (NTP).";

export function clockFindings(
  { slack, agentApi }: Readonly<Record<'slack' | 'agentApi', number | null>>,
  hasReplicas: boolean,
): Finding[] {
  const slackLimitMs = hasReplicas ? REPLICA_LIMIT_MS : SLACK_LIMIT_MS;
  const harmless = `If it is right against Slack, the agent API's clock is wrong, which does no harm. ${SET_CLOCK}`;
  const clocks = [
    ['against Slack', slack, slackLimitMs, SET_CLOCK],
    ['against the agent API', agentApi, Number.POSITIVE_INFINITY, harmless],
  ] as const;
  return clocks.flatMap(([subject, aheadMs, limitMs, advice]) => {
    if (aheadMs === null) return [];
    const { ok, warning, error } = findingsOf('clock', subject);
    const farMs = Math.abs(aheadMs);
    if (farMs < NOTEWORTHY_MS) return ok('right');
    const found = `this machine is ${Math.round(farMs / 1000)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
    return farMs >= limitMs ? error(found, advice) : warning(found, advice);
  });
}
