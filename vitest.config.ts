import { existsSync, globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { shareOf } from './test/support/share.ts';

const LONG = 'test/**/*.long.test.ts';
/** Those that use `shareOf` themselves. */
const SHARED = [
  'test/crash/fail-points.long.test.ts',
  'test/features/removed.long.test.ts',
  'test/model/any-life.long.test.ts',
];
const others = globSync(LONG, { cwd: import.meta.dirname, exclude: SHARED }).sort();
/** Vitest starts large files first. These are small but slow: the run would end waiting for one of them. */
const LONGEST = [...SHARED, 'test/browser/review.long.test.ts', 'test/soak/soak.long.test.ts'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const bySize = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));
    return [...bySize.filter(isLongest), ...bySize.filter((file) => !isLongest(file))];
  }
}

/** Linux keeps it in memory: thousands of commits are made there, and in no fast test does the power fail. */
const MEMORY = '/dev/shm';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [LONG],
          // A worker loads the program once, for all of its files.
          isolate: false,
          env: existsSync(MEMORY) ? { TMPDIR: MEMORY } : {},
        },
      },
      // Started programs, kills, replicas, the browser, real time limits, models at length.
      {
        extends: true,
        test: {
          name: 'long',
          include: [...SHARED, ...shareOf(others, 3)],
          // Each runs several programs. More workers than this only make limits of real time run out.
          maxWorkers: 3,
          testTimeout: 600_000,
          expect: { poll: { interval: 20, timeout: 90_000 } },
        },
      },
    ],
    ...(!process.argv.some((argument) => argument.startsWith('--sequence')) && {
      sequence: { sequencer: LongestFirst },
    }),
    setupFiles: ['test/support/setup.ts'],
    // Much of the time goes into waiting: on two cores, three take longer.
    maxWorkers: 4,
    // For other programs that do not say when they are done.
    expect: { poll: { interval: 20, timeout: 90_000 } },
    // For the tests that run whole programs, several at a time, on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
