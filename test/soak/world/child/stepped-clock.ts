/** Preloaded into the program: each SIGUSR2 steps its clock, forward, back to the right time, and backward. */
const STEPS_MS = [20_000, 0, -20_000, 0];

const rightTime = Date.now;
let steps = 0;
let offMs = 0;
Date.now = () => rightTime() + offMs;
process.on('SIGUSR2', () => {
  offMs = STEPS_MS[steps % STEPS_MS.length] ?? 0;
  steps += 1;
});
