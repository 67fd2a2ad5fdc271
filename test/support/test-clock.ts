import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, clockFrom } from '../../src/runtime/clock.ts';

/**
 * Event-loop turns given to what a callback started. One turn runs a chain of promises of any length; more are
 * needed where work hops over `setImmediate`, as each commit of SQLite does, or over an in-memory stand-in. Such hops
 * are few. They are counted from the end of the last work of the disk.
 */
const SETTLE_TURNS = 60;

export interface TestClock extends Clock {
  /** Moves the time on by so much: `advanceTo(now() + ms)`. */
  advance(ms: number): Promise<void>;
  /**
   * Runs everything that falls due until then, the earliest first and at its own time, also what the
   * callbacks schedule on the way; an overdue callback runs now. After each callback, and before the first,
   * work in this process gets time to settle. What waits for a network or another program does not: wait for
   * its outcome instead. Rejects with what a callback throws.
   */
  advanceTo(atMs: number): Promise<void>;
  /** Somebody sets the clock: it shows another time, and what was to happen in a while happens in that while. */
  step(ms: number): void;
  /** The machine, or the process, is stopped for so long: nothing happens, and then much is overdue. */
  freeze(ms: number): void;
  /** Milliseconds since the start of the clock, which `step` leaves as they are. */
  elapsed(): number;
}

interface Alarm {
  atMs: number;
  readonly callback: () => void;
}

/**
 * A clock that only a test moves. `settled` says when work is done that a callback started: by default
 * that is work in this process.
 */
export function createTestClock(startMs: number, settled = settle): TestClock {
  let nowMs = startMs;
  let steppedMs = 0;
  let awakeSinceMs = startMs;
  const alarms = new Set<Alarm>();

  const advanceTo = async (atMs: number) => {
    if (atMs < nowMs) throw new RangeError(`time cannot go back from ${nowMs} to ${atMs}`);
    await settled();
    for (let due = earliest(alarms, atMs); due.length > 0; due = earliest(alarms, atMs)) {
      nowMs = Math.max(nowMs, due[0]?.atMs ?? nowMs);
      for (const alarm of due) {
        // One that another of them has cancelled does not run.
        if (alarms.delete(alarm)) alarm.callback();
        // As in Node, promises go on between the timers of one moment.
        await nextTurn();
      }
      await settled();
    }
    nowMs = atMs;
  };

  const clock = clockFrom({
    now: () => nowMs,
    awakeSinceMs: () => awakeSinceMs,
    at: (atMs, callback) => {
      const alarm = { atMs, callback };
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
  });
  return {
    ...clock,
    advance: (ms) => advanceTo(nowMs + ms),
    advanceTo,
    step: (ms) => {
      nowMs += ms;
      steppedMs += ms;
      for (const alarm of alarms) alarm.atMs += ms;
      awakeSinceMs = nowMs;
    },
    freeze: (ms) => {
      nowMs += ms;
      awakeSinceMs = nowMs;
    },
    elapsed: () => nowMs - startMs - steppedMs,
  };
}

/** The alarms due first, in the order in which they were set; none if none is due by then. */
function earliest(alarms: ReadonlySet<Alarm>, byMs: number): Alarm[] {
  let firstMs = byMs;
  for (const { atMs } of alarms) firstMs = Math.min(firstMs, atMs);
  return [...alarms].filter(({ atMs }) => atMs === firstMs);
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn = usesDisk() ? 0 : turn + 1) await nextTurn();
}

/** A commit of SQLite waits for the disk on another thread. */
export function usesDisk(): boolean {
  return process.getActiveResourcesInfo().includes('FSReqCallback');
}
