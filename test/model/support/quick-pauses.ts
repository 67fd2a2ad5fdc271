const SHORTEST_MS = 90;
const LONGEST_MS = 1_000;
const SPEED_UP = 100;

/**
 * Between the repeats of a harmless call the program pauses for part of a second of real time, whatever its clock
 * says. Makes such pauses shorter for as long as the returned object is not disposed of.
 */
export function quickenPauses(): Disposable {
  const real = globalThis.setTimeout;
  const quick = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    real(callback, ms >= SHORTEST_MS && ms < LONGEST_MS ? ms / SPEED_UP : ms, ...args);
  globalThis.setTimeout = Object.assign(quick, real) as typeof setTimeout;
  return {
    [Symbol.dispose]: () => {
      globalThis.setTimeout = real;
    },
  };
}
