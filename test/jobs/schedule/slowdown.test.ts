import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import {
  readShare,
  type Slowdown,
  shownWhilePaused,
  slowedDown,
} from '../../../src/jobs/schedule/slowdown.ts';
import { fc } from '../../support/properties.ts';
import { MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from '../support/stages.ts';

const START_MS = Date.UTC(2026, 0, 1);
const rejectedAt = (before: Slowdown | null, atMs: number, retryAfterMs: number | null = null) =>
  slowedDown(before, { askedAtMs: atMs, retryAfterMs }, atMs);

describe('a read that the rate limit rejects', () => {
  test('halves the rate, which is whole again ten minutes later', () => {
    const once = rejectedAt(null, START_MS);
    expect(readShare(null, START_MS)).toBe(1);
    expect(readShare(once, START_MS)).toBe(0.5);
    expect(readShare(once, START_MS + 4 * MINUTE_MS)).toBeCloseTo(0.7);
    expect(readShare(once, START_MS + 10 * MINUTE_MS)).toBe(1);
  });

  test('halves what is left of it, if it comes again', () => {
    const twice = rejectedAt(rejectedAt(null, START_MS), START_MS + 1);
    expect(readShare(twice, START_MS + 1)).toBeCloseTo(0.25);
  });

  test('does not halve it again, if it was on its way when the rate was halved', () => {
    const once = rejectedAt(null, START_MS);
    const late = { askedAtMs: START_MS - SECOND_MS, retryAfterMs: null };
    expect(readShare(slowedDown(once, late, START_MS + SECOND_MS), START_MS)).toBe(0.5);
  });

  test('holds up all reads for as long as the API asks, and only then the rate recovers', () => {
    const once = rejectedAt(null, START_MS, 5 * MINUTE_MS);
    expect(once.untilMs).toBe(START_MS + 5 * MINUTE_MS);
    expect(readShare(once, once.untilMs)).toBe(0.5);
    const late = { askedAtMs: START_MS - SECOND_MS, retryAfterMs: 8 * MINUTE_MS };
    expect(slowedDown(once, late, START_MS).untilMs).toBe(START_MS + 8 * MINUTE_MS);
  });

  test('leaves a part of the rate, and all of it comes back within twenty minutes, whatever happened', () => {
    const rejections = fc.array(
      fc.record({ gapMs: fc.nat(10 * MINUTE_MS), retryAfterMs: fc.option(fc.nat(MINUTE_MS)) }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(rejections, (list) => {
        let atMs = START_MS;
        let slowdown: Slowdown | null = null;
        for (const { gapMs, retryAfterMs } of list) {
          atMs += gapMs;
          slowdown = rejectedAt(slowdown, atMs, retryAfterMs);
          expect(readShare(slowdown, atMs)).toBeGreaterThan(0);
          expect(readShare(slowdown, atMs)).toBeLessThanOrEqual(0.5);
        }
        expect(readShare(slowdown, (slowdown?.untilMs ?? 0) + 20 * MINUTE_MS)).toBe(1);
      }),
    );
  });
});

test('while nothing is read, each open job is shown as waiting, unless something else holds it up', () => {
  const pause = { atMs: START_MS, untilMs: START_MS + 5 * MINUTE_MS };
  const shown = (job: Job) => shownWhilePaused(job, pause).trouble;
  const { job: working } = aWorkingJob();
  expect(shown(working)).toMatchObject({ kind: 'rate_limited', source: 'check', retryAtMs: pause.untilMs });
  const trouble = {
    kind: 'rate_limited',
    source: 'check',
    sinceMs: 0,
    misses: 2,
    retryAtMs: 1,
    isAnnounced: false,
  } as const;
  expect(shown({ ...working, trouble })).toEqual({ ...trouble, retryAtMs: pause.untilMs });
  const outage = { ...trouble, kind: 'unreachable' } as const;
  const unsent = { ...trouble, source: 'send' } as const;
  expect([shown({ ...working, trouble: outage }), shown({ ...working, trouble: unsent })]).toEqual([
    outage,
    unsent,
  ]);
  expect(shown(aJobBeingCreated().job)).toBeNull();
  const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
  expect(shown({ ...working, stage: ended })).toBeNull();
});
