/** Time as a value: the program takes its time from here, so that tests can hold and move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `callback` once, at or soon after `atMs`. Returns what cancels it. */
  at(atMs: number, callback: () => void): () => void;
}

/** Node fires longer timeouts at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at: (atMs, callback) => {
    const delayMs = Math.min(Math.max(atMs - Date.now(), 0), LONGEST_TIMEOUT_MS);
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
