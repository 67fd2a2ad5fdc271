import type { Service } from '../service.ts';

/** How long a stop may take before what is in hand is left to the next process. */
const STOP_LIMIT_MS = 10_000;

/** What of the process a running service needs; only `cli.ts` has the real one. */
export interface ProcessEvents {
  on(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/** Runs the service until SIGTERM or SIGINT; resolves to the exit code. A second signal ends it at once. */
export async function runUntilSignal(
  service: Service,
  process: ProcessEvents,
  onStarted: () => void = () => {},
): Promise<number> {
  const signals = countSignals(process);
  // A start may take long, when Slack does not open a connection, say: it can be broken off.
  const isStarted = await Promise.race([service.start().then(() => true), signals.first.then(() => false)]);
  if (isStarted) {
    onStarted();
    await signals.first;
  }
  const limit = new Promise<number>((resolve) => {
    setTimeout(() => resolve(1), STOP_LIMIT_MS).unref();
  });
  const stopped = service.stop().then(() => 0);
  return Promise.race([stopped, limit, signals.second.then(() => 1)]);
}

function countSignals(process: ProcessEvents): { first: Promise<void>; second: Promise<void> } {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      count += 1;
      (count === 1 ? first : second).resolve();
    });
  }
  return { first: first.promise, second: second.promise };
}
