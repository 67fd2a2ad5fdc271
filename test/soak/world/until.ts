import { setTimeout as pause } from 'node:timers/promises';

const LOOK_INTERVAL_MS = 100;

/** Reads until there is something, and returns it; null after `timeoutMs`. For the robots, who look at Slack. */
export async function until<T>(
  read: () => T | null | undefined | false,
  timeoutMs: number,
): Promise<T | null> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const seen = read();
    if (seen) return seen;
    if (Date.now() >= endMs) return null;
    await pause(LOOK_INTERVAL_MS);
  }
}
