import type { Writable } from 'node:stream';
import { parseArgs, styleText } from 'node:util';
import type { DestinationStream } from 'pino';
import { type Config, parseConfig } from '../../app/config/config.ts';
import { createLogger, LogOutput } from '../../app/operations/logger.ts';
import { createService, type Service } from '../../app/service.ts';
import { systemClock } from '../../engine/runtime/clock.ts';
import type { Logger, LogLevel } from '../../engine/runtime/redact.ts';
import { EVENTS_PATH } from '../../slack/protocol/ids.ts';
import type { Host, ProcessEvents, StopSignal } from '../command.ts';
import { ownRunnerOf, startOwnRunner } from '../own-runner.ts';

/** Reserved for the end of the process, from the time that a stop may take. */
const END_OF_PROCESS_MS = 500;

/** For the last lines of the log, from the time for the end of the process. */
const LAST_LINES_MS = 200;

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/** A load balancer asks `/readyz` every few seconds, and then needs some time to send requests elsewhere. */
const LINGER_MS = 5_000;

export async function start(args: string[], { env, process: events }: Host): Promise<number> {
  parseArgs({ args });
  const own = await ownRunnerOf(env);
  const config = parseConfig(own?.botEnv ?? env);
  const { log, output, destination } = processLog(config.logLevel);
  const tools = { destination, log, clock: systemClock };
  const runner = own && (await startOwnRunner(own.runnerEnv, tools));
  if (runner !== null && 'exitCode' in runner) return runner.exitCode;
  const service = createService(config, { log, lingerMs: LINGER_MS, logLinesDropped: () => output.dropped });
  const exitCode = await runUntilSignal(service, events, log, () => {
    if (process.stdout.isTTY) console.log(welcome(config, service));
  });
  await runner?.stop();
  await systemClock.timeout(LAST_LINES_MS, output.flush(), undefined);
  return exitCode;
}

/** Logs to the process's output: lines of JSON, or readable ones in a terminal. */
export function processLog(level: LogLevel) {
  const { stdout } = process;
  const output = new LogOutput(stdout);
  const destination = stdout.isTTY ? terminalLines(stdout) : output;
  return { log: createLogger({ level, destination }), output, destination };
}

const LEVEL_STYLES = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** A logger's destination for terminals: readable lines instead of JSON. */
export function terminalLines(terminal: Pick<Writable, 'write'>): DestinationStream {
  return {
    write: (json) => {
      const { time, level, event, ...fields } = JSON.parse(json) as {
        time: string;
        level: LogLevel;
        event: string;
      };
      const at = new Date(time).toTimeString().slice(0, 8);
      const said = `${styleText(LEVEL_STYLES[level], level.toUpperCase())} ${styleText('cyan', event)}`;
      const more = Object.keys(fields).length === 0 ? '' : ` ${styleText('gray', JSON.stringify(fields))}`;
      terminal.write(`[${at}] ${said}${more}\n`);
    },
  };
}

/**
 * Runs the service until SIGTERM or SIGINT. Resolves to the exit code: 0; 1 if the stop took too long; 130 or
 * 143, as if the signal had killed the program, if a second one cut the stop short.
 */
export async function runUntilSignal(
  service: Service,
  process: ProcessEvents,
  log: Logger,
  onStarted: () => void = () => {},
): Promise<number> {
  // Slack's socket client rejects without a handler when a stop races a reconnect; the work itself is in the
  // store.
  process.on('unhandledRejection', (reason) => log.error('unhandled_rejection', { error: reason }));
  const first = Promise.withResolvers<StopSignal>();
  const second = Promise.withResolvers<StopSignal>();
  let count = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      count += 1;
      (count === 1 ? first : second).resolve(signal);
    });
  }
  // A start can be interrupted: it takes long if Slack does not open a connection.
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
  return end === 'limit' ? 1 : 128 + SIGNAL_NUMBERS[end];
}

export function welcome(
  { slack, http, store }: Pick<Config, 'slack' | 'http' | 'store'>,
  { signedInAs, port, healthPort }: Pick<Service, 'signedInAs' | 'port' | 'healthPort'>,
): string {
  const host = ['0.0.0.0', '::'].includes(http.host) ? 'localhost' : http.host;
  const address = (at: number) => `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
  const mode =
    slack.transport.kind === 'socket'
      ? 'Socket Mode'
      : `HTTP, listening for Slack at ${address(port)}${EVENTS_PATH}`;
  const { botName = null, workspaceName = null } = signedInAs ?? {};
  const bot = `@${botName ?? 'docs-agent'}${workspaceName === null ? '' : ` in ${workspaceName}`}`;
  const lines = [
    ['Bot', signedInAs === null ? 'in each workspace that has installed it' : bot],
    ['Mode', mode],
    ['Health', `${address(healthPort)}/readyz`],
    ['Store', store.kind === 'postgres' ? 'Postgres' : `SQLite, in ${store.dataDir}`],
  ];
  return [
    '',
    'docs-agent is ready.',
    ...lines.map(([name = '', value]) => `  ${name.padEnd(8)}${value}`),
    '',
    'Try /docs-agent help in Slack.',
  ].join('\n');
}
