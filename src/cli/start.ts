import { parseArgs } from 'node:util';
import { createLogger } from '../app/operations/logger.ts';
import { createService, type Service } from '../app/service.ts';
import type { Logger } from '../engine/runtime/logger.ts';
import type { Host, ProcessEvents, StopSignal } from './command.ts';
import { readConfig } from './read-config.ts';

/** Of the time that a stop may take, the end of the process takes some. */
const END_OF_PROCESS_MS = 500;

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/** A balancer asks `/readyz` every few seconds, and needs some time to send requests elsewhere. */
const LINGER_MS = 5_000;

/** `docs-agent start` */
export async function start(args: string[], { env, process: events }: Host): Promise<number> {
  parseArgs({ args });
  const config = readConfig(env);
  const log = createLogger({ level: config.logLevel, ...(process.stdout.isTTY ? await forPeople() : {}) });
  return runUntilSignal(createService(config, { log, lingerMs: LINGER_MS }), events, log);
}

async function forPeople() {
  const { terminalLines } = await import('./terminal-lines.ts');
  return { destination: terminalLines() };
}

/**
 * Runs the service until SIGTERM or SIGINT; resolves to the exit code: 0, or 1 if the stop took too long, or that
 * of a program that died of the signal (130 or 143) if a second one cut the stop short.
 */
export async function runUntilSignal(
  service: Service,
  process: ProcessEvents,
  log: Logger,
  onStarted: () => void = () => {},
): Promise<number> {
  // Slack's socket client rejects into nowhere when a stop races a reconnect; the work itself is in the store.
  process.on('unhandledRejection', (reason) => log.error('unhandled_rejection', { error: reason }));
  const signals = countSignals(process);
  // A start may take long, when Slack does not open a connection, say: it can be broken off.
  const isStarted = await Promise.race([service.start().then(() => true), signals.first.then(() => false)]);
  if (isStarted) {
    onStarted();
    await signals.first;
  }
  const limit = new Promise<'limit'>((resolve) => {
    setTimeout(() => resolve('limit'), service.stopWithinMs() - END_OF_PROCESS_MS).unref();
  });
  const stopped = service.stop().then(() => 'stopped' as const);
  const end = await Promise.race([stopped, limit, signals.second]);
  if (end === 'stopped') return 0;
  log.error('stop_cut_short', { reason: end });
  return end === 'limit' ? 1 : 128 + SIGNAL_NUMBERS[end];
}

function countSignals(process: ProcessEvents): { first: Promise<StopSignal>; second: Promise<StopSignal> } {
  const first = Promise.withResolvers<StopSignal>();
  const second = Promise.withResolvers<StopSignal>();
  let count = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      count += 1;
      (count === 1 ? first : second).resolve(signal);
    });
  }
  return { first: first.promise, second: second.promise };
}
