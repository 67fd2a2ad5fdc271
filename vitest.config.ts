import { defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [LONG] } },
      // Started programs, kills, replicas, the browser, real time limits, models at length.
      { extends: true, test: { name: 'long', include: [LONG] } },
    ],
    setupFiles: ['test/support/setup.ts'],
    // Most of the time goes into waiting for other programs.
    maxWorkers: 3,
    // For other programs that do not say when they are done.
    expect: { poll: { interval: 20, timeout: 5_000 } },
    // For the tests that run whole programs, several at a time, on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
