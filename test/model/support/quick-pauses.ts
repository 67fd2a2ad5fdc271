const SHORTEST_MS = 90;
const LONGEST_MS = 1_000;
const SPEED_UP = 100;
/** Shorter ones only wait for what comes at the same time. */
const TO_GATHER_MS = 10;
/** In place of those: requests and answers go on meanwhile, as they would. */
const TURNS_TO_GATHER = 10;
/** The clock of undici ticks by it: on a faster one, connections are too old to be kept. */
const TICK_OF_UNDICI_MS = 499;

/**
 * Between the repeats of a harmless call the program pauses for part of a second of real time, whatever its clock
 * says, and for a few milliseconds it gathers what can be done at once. Makes such pauses shorter, or some turns of the
 * event loop, for as long as the returned object is not disposed of.
 */
export function quickenPauses(): Disposable {
  const real = globalThis.setTimeout;
  const quick = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (ms > 1 && ms < TO_GATHER_MS) return afterTurns(TURNS_TO_GATHER, () => callback(...args));
    const isPause = ms >= SHORTEST_MS && ms < LONGEST_MS && ms !== TICK_OF_UNDICI_MS;
    return real(callback, isPause ? ms / SPEED_UP : ms, ...args);
  };
  globalThis.setTimeout = Object.assign(quick, real) as unknown as typeof setTimeout;
  return {
    [Symbol.dispose]: () => {
      globalThis.setTimeout = real;
    },
  };
}

function afterTurns(turns: number, callback: () => void): NodeJS.Immediate {
  return setImmediate(() => {
    if (turns <= 1) callback();
    else afterTurns(turns - 1, callback);
  });
}
