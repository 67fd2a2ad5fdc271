/** Time as a value: the program takes its time from here, so that tests can hold and move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `callback` once, at or soon after `atMs`. Returns what cancels it. */
  at(atMs: number, callback: () => void): () => void;
  /**
   * Since when the process has run without a break: it began then, or woke with its machine, or was stopped and went
   * on, or its time was changed.
   */
  awakeSinceMs(): number;
}

/** Node fires longer timeouts at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const BEAT_MS = 1_000;
/** Shorter breaks do not count: a busy process has them, too. */
const LONGEST_GAP_MS = 3_000;

/** Returns what is to be called again and again, also by who asks. It says since when there was no gap between the calls. */
export function heartbeat(now: () => number): () => number {
  let beatAtMs = now();
  let sinceMs = beatAtMs;
  return () => {
    const nowMs = now();
    if (Math.abs(nowMs - beatAtMs) > LONGEST_GAP_MS) sinceMs = nowMs;
    beatAtMs = nowMs;
    return sinceMs;
  };
}

const beat = heartbeat(Date.now);
setInterval(beat, BEAT_MS).unref();

export const systemClock: Clock = {
  now: () => Date.now(),
  awakeSinceMs: beat,
  at: (atMs, callback) => {
    const delayMs = Math.min(Math.max(atMs - Date.now(), 0), LONGEST_TIMEOUT_MS);
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
