export interface Clock {
  now(): number;
  at(atMs: number, callback: () => void): () => void;
  /** When the process started, it or its machine last woke, or its clock changed. */
  awakeSinceMs(): number;
  sleep(ms: number): Promise<void>;
  /** Rethrows errors; drops late results. */
  timeout<T, L>(ms: number, awaited: Promise<T> | T, late: L): Promise<T | L>;
  /**
   * Aborts the signal with a TimeoutError after `ms`; the result of `work` still counts. The timer of
   * `AbortSignal.timeout` would outlive the work: with thousands of reads a second, many megabytes.
   */
  abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

type ClockParts = Pick<Clock, 'now' | 'at' | 'awakeSinceMs'>;

/** No timer outlives its wait. */
export function clockFrom({ now, at, awakeSinceMs }: ClockParts): Clock {
  const after = (ms: number, callback: () => void) => at(now() + ms, callback);
  return {
    now,
    at,
    awakeSinceMs,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    timeout: async (ms, awaited, late) => {
      const { promise: limit, resolve } = Promise.withResolvers<typeof late>();
      const cancel = after(ms, () => resolve(late));
      try {
        return await Promise.race([awaited, limit]);
      } finally {
        cancel();
      }
    },
    abortAfter: async (ms, work) => {
      const controller = new AbortController();
      const abort = () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
      // After a freeze, timers may fire before arrived data is read: the answer counts.
      const cancel = after(ms, () => setImmediate(abort));
      try {
        return await work(controller.signal);
      } finally {
        cancel();
      }
    },
  };
}

/** Node fires longer timeouts at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const BEAT_MS = 1_000;
/** A busy process has shorter gaps, too. */
const LONGEST_GAP_MS = 3_000;

/** The returned function says since when its calls had no gap. */
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

export const systemClock: Clock = clockFrom({
  now: () => Date.now(),
  awakeSinceMs: beat,
  at: (atMs, callback) => {
    const delayMs = Math.min(Math.max(atMs - Date.now(), 0), LONGEST_TIMEOUT_MS);
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
});

export interface Periodic {
  start(): void;
  stop(): Promise<void>;
}

/** Never runs `work` twice at once. `work` must not fail, and should end soon after `stopping` is aborted. */
export function periodically(
  clock: Clock,
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
  firstAfterMs = everyMs,
): Periodic {
  const stopping = new AbortController();
  let running = Promise.resolve();
  let cancel = () => {};
  const runIn = (ms: number) => {
    cancel = clock.at(clock.now() + ms, run);
  };
  const run = () => {
    running = work(stopping.signal).then(() => {
      if (!stopping.signal.aborted) runIn(everyMs);
    });
  };
  return {
    start: () => (firstAfterMs === 0 ? run() : runIn(firstAfterMs)),
    stop: () => {
      stopping.abort();
      cancel();
      return running;
    },
  };
}

/** A `Date` header has whole seconds. */
const RESOLUTION_MS = 1_000;

/** Smallest possible lead of this machine's clock (negative: lag), so that a slow answer raises no alarm. */
export function clockAheadMs(
  date: string | null,
  { sentAtMs, answeredAtMs }: { sentAtMs: number; answeredAtMs: number },
): number | null {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return null;
  const leastMs = sentAtMs - serverMs - RESOLUTION_MS;
  const mostMs = answeredAtMs - serverMs;
  return leastMs > 0 ? leastMs : Math.min(mostMs, 0);
}
