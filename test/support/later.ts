import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../src/app/service.ts';
import type { TestClock } from './test-clock.ts';
import { waitFor } from './wait-for.ts';

/** Lets time run, a second at each look, until what is read is what is expected, or satisfies the predicate. */
export interface Later {
  <T, S extends T>(read: () => T | Promise<T>, predicate: (value: T) => value is S, what: string): Promise<S>;
  <T>(
    read: () => T | Promise<T>,
    expected: NoInfer<T> | ((value: NoInfer<T>) => boolean),
    what: string,
  ): Promise<T>;
}

/** For a program that runs by this clock, and talks with programs that do not. */
export function laterBy(clock: TestClock): Later {
  return <T>(read: () => T | Promise<T>, expected: T | ((value: T) => boolean), what: string) => {
    const look = async () => {
      await clock.advance(1_000);
      return read();
    };
    return waitFor(look, expected, { what });
  };
}

/** A stop that waits for nobody takes less, in real time. */
const STOP_AT_ONCE_MS = 100;

/** Stops it. Lets time run if it waits for that: an outcome that could not be stored is stored again after a while. */
export async function stopBy(clock: TestClock, service: Service): Promise<void> {
  const stopped = service.stop().then(() => true);
  while (!(await Promise.race([stopped, sleep(STOP_AT_ONCE_MS, false)]))) await clock.advance(1_000);
}
