import { createServer } from 'node:http';
import type { Config } from '../../app/config/config.ts';
import { codeOf } from '../../store/errors.ts';
import { type Finding, findingsOf } from './finding.ts';

const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** Whether the program could listen where it is to. Port 0 is any that is free. */
export async function listeningFindings({ http, slack }: Config, timeoutMs: number): Promise<Finding[]> {
  const { host, port, healthPort } = http;
  // Socket Mode needs it for health, or for the pages of an installation.
  const opensPort =
    healthPort === null || slack.transport.kind === 'http' || slack.installing.kind === 'oauth';
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
      `Set HOST and ${variable} to what this machine has.`,
    );
  }
  return (await isRunning())
    ? findings.ok(`${place} is in use by the running docs-agent`)
    : findings.error(
        `${place} is in use by another program`,
        `Stop what uses it, or set ${variable} to another.`,
      );
}

/** Null, or the system's code for why not. */
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
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`http://${name}:${port}/livez`, { signal, redirect: 'error' });
    return (await response.text()).trim() === '{"ok":true}';
  } catch {
    return false;
  }
}
