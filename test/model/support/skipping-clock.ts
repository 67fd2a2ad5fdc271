import { type Clock, clockFrom } from '../../../src/runtime/clock.ts';

/** One time for the program and for the world around it. Only a test moves it. */
export interface SkippingClock {
  /** For the program. Its alarms only say when to look again, so the test need not stop at each of them. */
  readonly program: Clock;
  /** For all else. At each of its alarms something happens. */
  readonly outside: Clock;
  /** When the next alarm of the world outside is due, or null. */
  nextOutsideMs(): number | null;
  /** Puts the time forward at once and then runs all that has become due, as after a sleep of the machine. */
  jumpTo(atMs: number): void;
  /** The same, but the program sleeps meanwhile. */
  sleepTo(atMs: number): void;
}

interface Alarm {
  readonly atMs: number;
  readonly callback: () => void;
}

export function createSkippingClock(startMs: number): SkippingClock {
  let nowMs = startMs;
  let awakeSinceMs = startMs;
  const programAlarms = new Set<Alarm>();
  const outsideAlarms = new Set<Alarm>();
  const clockOf = (alarms: Set<Alarm>) =>
    clockFrom({
      now: () => nowMs,
      awakeSinceMs: () => awakeSinceMs,
      at: (atMs, callback) => {
        const alarm = { atMs, callback };
        alarms.add(alarm);
        return () => alarms.delete(alarm);
      },
    });

  const jumpTo = (atMs: number) => {
    nowMs = Math.max(nowMs, atMs);
    // Those that are set on the way come with the next jump, or an alarm at its own time would run for ever.
    for (const alarms of [outsideAlarms, programAlarms]) {
      const due = [...alarms].filter((alarm) => alarm.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      for (const alarm of due) {
        if (alarms.delete(alarm)) alarm.callback();
      }
    }
  };

  return {
    program: clockOf(programAlarms),
    outside: clockOf(outsideAlarms),
    nextOutsideMs: () =>
      outsideAlarms.size === 0 ? null : Math.min(...[...outsideAlarms].map(({ atMs }) => atMs)),
    jumpTo,
    sleepTo: (atMs) => {
      awakeSinceMs = Math.max(nowMs, atMs);
      jumpTo(atMs);
    },
  };
}
