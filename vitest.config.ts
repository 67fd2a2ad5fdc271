import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Most of the time goes into waiting for other programs.
    maxWorkers: 3,
    // For the tests that run whole programs, several at a time, on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
