import { parseArgs } from 'node:util';
import { type Config, parseConfig } from '#app/config/config.ts';
import { processLog } from '#app/operations/logger.ts';
import { createService, type Service } from '#app/service.ts';
import { systemClock } from '#runtime/clock.ts';
import { localAddress } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';
import { EVENTS_PATH } from '#slack/protocol/ids.ts';
import type { Host } from '../command.ts';
import { ownRunnerOf, startOwnRunner } from '../own-runner.ts';

/** Taken from the stop's time limit. */
const END_OF_PROCESS_MS = 500;
const LAST_LINES_MS = 200;
/** A load balancer polls `/readyz` every few seconds, then needs time to reroute. */
const LINGER_MS = 5_000;

export async function start(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const own = await ownRunnerOf(env);
  const config = parseConfig(own?.botEnv ?? env);
  const { log, output, destination } = processLog(config.logLevel);
  const runner = own && (await startOwnRunner(own.runnerEnv, destination, log));
  if (runner !== null && 'exitCode' in runner) return runner.exitCode;
  const service = createService(config, { log, lingerMs: LINGER_MS, logLinesDropped: () => output.dropped });
  const exitCode = await runUntilSignal(service, log, () => {
    if (process.stdout.isTTY) console.log(welcome(config, service));
  });
  await runner?.stop();
  await systemClock.timeout(LAST_LINES_MS, output.flush(), undefined);
  return exitCode;
}

/** Resolves to 1 if the stop took too long, 130 or 143 after a second signal, else 0. */
export async function runUntilSignal(service: Service, log: Logger, onStarted: () => void): Promise<number> {
  // Slack's socket client leaks a rejection when a stop races a reconnect.
  process.on('unhandledRejection', (reason) => log.error('unhandled_rejection', { error: reason }));
  const first = Promise.withResolvers<'SIGINT' | 'SIGTERM'>();
  const second: typeof first = Promise.withResolvers();
  let next = first;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      next.resolve(signal);
      next = second;
    });
  }
  // A start can be interrupted: without Slack it takes long.
  const isStarted = await Promise.race([service.start().then(() => true), first.promise.then(() => false)]);
  if (isStarted) {
    onStarted();
    await first.promise;
  }
  const limitMs = service.stopWithinMs() - END_OF_PROCESS_MS;
  const stopped = service.stop().then(() => 'stopped' as const);
  const end = await systemClock.timeout(limitMs, Promise.race([stopped, second.promise]), 'limit' as const);
  if (end === 'stopped') return 0;
  log.error('stop_cut_short', { reason: end });
  return { limit: 1, SIGINT: 130, SIGTERM: 143 }[end];
}

export function welcome(
  { slack, http, store }: Pick<Config, 'slack' | 'http' | 'store'>,
  { signedInAs, port, healthPort }: Pick<Service, 'signedInAs' | 'port' | 'healthPort'>,
): string {
  const { botName, workspaceName } = signedInAs ?? {};
  const bot = `@${botName ?? 'docs-agent'}${workspaceName ? ` in ${workspaceName}` : ''}`;
  const isSocket = slack.transport.kind === 'socket';
  return `
docs-agent is ready.
  Bot     ${signedInAs === null ? 'in each workspace that has installed it' : bot}
  Mode    ${isSocket ? 'Socket Mode' : `HTTP, listening for Slack at ${localAddress(http.host, port)}${EVENTS_PATH}`}
  Health  ${localAddress(http.host, healthPort)}/readyz
  Store   ${store.kind === 'postgres' ? 'Postgres' : `SQLite, in ${store.dataDir}`}

Try /docs-agent help in Slack.`;
}
