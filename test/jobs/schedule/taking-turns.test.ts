import { expect, test } from 'vitest';
import { checkIntervalMs } from '../../../src/jobs/schedule/schedule.ts';
import { fc } from '../../support/properties.ts';
import { HOUR_MS, policy, SECOND_MS } from '../support/builders.ts';

const ROUNDS = 12;
/** The first rounds are over before checks are as late as they will be. */
const WARM_UP_ROUNDS = 6;

interface Watched {
  readonly startedAtMs: number;
  dueAtMs: number;
  lastReadAtMs: number | null;
  longestGapMs: number;
}

/** Reads the job that has been due for longest whenever there is a read: one each `spacingMs`. */
function takeTurns(agesMs: readonly number[], spacingMs: number, jitter: () => number): readonly Watched[] {
  const jobs = agesMs.map(
    (ageMs): Watched => ({ startedAtMs: -ageMs, dueAtMs: 0, lastReadAtMs: null, longestGapMs: 0 }),
  );
  const roundMs = Math.max(jobs.length * spacingMs, policy.pollMinIntervalMs);
  for (let nowMs = 0; nowMs < ROUNDS * roundMs; nowMs += spacingMs) {
    const next = jobs.reduce((first, job) => (job.dueAtMs < first.dueAtMs ? job : first));
    if (next.dueAtMs > nowMs) continue;
    const { lastReadAtMs } = next;
    if (lastReadAtMs !== null && nowMs > WARM_UP_ROUNDS * roundMs)
      next.longestGapMs = Math.max(next.longestGapMs, nowMs - lastReadAtMs);
    const checked = { turnAgeMs: nowMs - next.startedAtMs, lateMs: nowMs - next.dueAtMs };
    next.dueAtMs = nowMs + checkIntervalMs(checked, policy, jitter());
    next.lastReadAtMs = nowMs;
  }
  return jobs;
}

const anyAges = fc.array(fc.nat(2 * HOUR_MS), { minLength: 1, maxLength: 120 });
const anyJitters = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));

test('no job is starved: however many there are, each is read within the longest interval, or when all had their turn', () => {
  fc.assert(
    fc.property(anyAges, fc.integer({ min: 50, max: 2_000 }), anyJitters, (agesMs, spacingMs, jitters) => {
      const jobs = takeTurns(agesMs, spacingMs, () => jitters.next().value ?? 0);
      const allTurnsMs = agesMs.length * spacingMs;
      const longestMs = Math.max(
        1.1 * policy.pollMaxIntervalMs,
        1.1 * allTurnsMs + 2 * policy.pollMinIntervalMs,
      );
      for (const { lastReadAtMs, longestGapMs } of jobs) {
        expect(lastReadAtMs).not.toBeNull();
        expect(longestGapMs).toBeLessThanOrEqual(longestMs);
      }
    }),
  );
});

test('young turns are read more often than old ones, where reads are short', () => {
  const old = Array.from({ length: 60 }, () => HOUR_MS);
  // It begins in an hour, so to speak, and is young all the time.
  const jobs = takeTurns([...old, -HOUR_MS], SECOND_MS / 2, () => 0.5);
  const gapOf = (job: Watched | undefined) => job?.longestGapMs ?? 0;
  expect(gapOf(jobs.at(-1))).toBeLessThan(0.8 * gapOf(jobs[0]));
});
