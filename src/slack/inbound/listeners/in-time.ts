import { AsyncLocalStorage } from 'node:async_hooks';
import type { ListenerDeps } from './deps.ts';

/** Slack waits 3 seconds for an answer to a gesture; the rest is for the way. */
const ANSWER_WITHIN_MS = 2_600;

const deadline = new AsyncLocalStorage<number>();

/** Answers a gesture: all the waits with `inTime` in it end, together, while Slack still waits. */
export function answering<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + ANSWER_WITHIN_MS, work);
}

/** What is awaited, or `late` if it takes longer. An error is thrown on. */
export async function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<T>();
  const untilMs = Math.min(clock.now() + withinMs, deadline.getStore() ?? Number.POSITIVE_INFINITY);
  const cancel = clock.at(untilMs, () => resolve(late));
  try {
    return await Promise.race([awaited, timeout]);
  } finally {
    cancel();
  }
}
