import { inspect, isDeepStrictEqual } from 'node:util';

const POLL_INTERVAL_MS = 20;
/** A machine that runs six programs on two slow cores takes a minute to start one; only a fault takes longer. */
const PATIENCE_MS = 90_000;

export interface WaitForOptions {
  /** Ends the sentence "waited in vain for …". */
  readonly what: string;
  readonly timeoutMs?: number;
}

/**
 * Reads until the value is what is expected, or satisfies the predicate, and returns it; a `read` that throws is tried again. Throws
 * with the value or error last seen after `timeoutMs` (default 90 s: a busy machine is no fault).
 *
 * Only for programs of other makers (a local Slack, a database, a started process) that do not say when they
 * are done: the pause between two reads is not a wait of a guessed length. Inside our own process, await the
 * work itself or move the test clock.
 */
export async function waitFor<T, S extends T>(
  read: () => T | Promise<T>,
  predicate: (value: T) => value is S,
  options: WaitForOptions,
): Promise<S>;
export async function waitFor<T>(
  read: () => T | Promise<T>,
  expected: NoInfer<T> | ((value: NoInfer<T>) => boolean),
  options: WaitForOptions,
): Promise<T>;
export async function waitFor<T>(
  read: () => T | Promise<T>,
  expected: T | ((value: T) => boolean),
  { what, timeoutMs = PATIENCE_MS }: WaitForOptions,
): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const seen = await attempt(read);
    if ('value' in seen && isSeen(seen.value, expected)) return seen.value;
    if (Date.now() >= endMs) {
      const last = inspect('value' in seen ? seen.value : seen.error, { depth: 6 });
      throw new Error(`waited in vain for ${what}; last seen: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

function isSeen<T>(value: T, expected: T | ((value: T) => boolean)): boolean {
  return expected instanceof Function ? expected(value) : isDeepStrictEqual(value, expected);
}

async function attempt<T>(read: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
}
