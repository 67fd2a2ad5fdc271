import type { TestClock } from './test-clock.ts';
import { waitFor } from './wait-for.ts';

/** Lets time run, a second at each look, until what is read satisfies the predicate. */
export type Later = <T>(
  read: () => T | Promise<T>,
  predicate: (value: T) => boolean,
  what: string,
) => Promise<T>;

/** For a program that runs by this clock, and talks with programs that do not. */
export function laterBy(clock: TestClock): Later {
  return (read, predicate, what) => {
    const look = async () => {
      await clock.advance(1_000);
      return read();
    };
    return waitFor(look, predicate, { what, timeoutMs: 15_000 });
  };
}
