import type { ListenerDeps } from './deps.ts';

/** What is awaited, or `late` if it takes longer: Slack waits 3 seconds for an answer. An error is thrown on. */
export async function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<T>();
  const cancel = clock.at(clock.now() + withinMs, () => resolve(late));
  try {
    return await Promise.race([awaited, timeout]);
  } finally {
    cancel();
  }
}
