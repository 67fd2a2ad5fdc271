import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../src/jobs/agent-job.ts';
import type { Announcement } from '../../src/jobs/announcement.ts';
import { fc } from '../support/properties.ts';
import { aFailure, anAgentJob, failures, MINUTE_MS, SECOND_MS } from './support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from './support/stages.ts';
import type { World } from './support/world.ts';

const LONG_OUTAGE_MS = 10 * MINUTE_MS;
const LONG_WAIT_MS = 2 * MINUTE_MS;
/** So far apart are two tries at most. */
const BETWEEN_TRIES_MS = MINUTE_MS;

/** For how long the agent is away, and when people reply meanwhile, in seconds. */
const anyOutage = fc.integer({ min: 1, max: 1_200 }).chain((forS) =>
  fc.record({
    forS: fc.constant(forS),
    repliesAtS: fc.array(fc.integer({ min: 0, max: forS - 1 }), { maxLength: 3 }),
  }),
);

interface Told {
  readonly atMs: number;
  readonly news: Announcement;
}

/** Lets the time pass second by second; nothing but what is stored outlasts a second, as if the program restarted. */
function live(world: World, seconds: number, eachSecond: (second: number) => void): Told[] {
  const all: Told[] = [];
  for (let second = 0; second < seconds; second += 1) {
    world.job = JSON.parse(JSON.stringify(world.job));
    const before = world.told.length;
    eachSecond(second);
    world.advance(SECOND_MS);
    const { nowMs: atMs } = world;
    all.push(...world.told.slice(before).map((news) => ({ atMs, news })));
  }
  return all;
}

const isTold = ({ news }: Told) => news.kind === 'trouble';
const isOver = ({ news }: Told) => news.kind === 'recovered';

/** Told once, by the first try after `dueMs`, if it lasts so long; and its end only then. */
function expectToldAfter(dueMs: number, endsAtMs: number, all: readonly Told[]): void {
  const told = all.filter(isTold);
  for (const { atMs } of told) {
    expect(atMs).toBeGreaterThanOrEqual(dueMs);
    expect(atMs).toBeLessThanOrEqual(dueMs + BETWEEN_TRIES_MS + SECOND_MS);
  }
  if (endsAtMs < dueMs) expect(told).toEqual([]);
  if (endsAtMs > dueMs + BETWEEN_TRIES_MS + SECOND_MS) expect(told).toHaveLength(1);
  expect(all.filter(isOver)).toHaveLength(told.length);
}

describe('the thread hears of an outage once, and of its end only then', () => {
  test('after ten minutes of it, or when a reply has waited for two, whatever restarts (W2)', () => {
    fc.assert(
      fc.property(anyOutage, ({ forS, repliesAtS }) => {
        const world = aWorkingJob();
        const { nowMs: startMs } = world;
        let sinceMs = Number.POSITIVE_INFINITY;
        const all = live(world, forS + 300, (second) => {
          world.answer = second < forS ? failures.unreachable : anAgentJob();
          for (const atS of repliesAtS) if (atS === second) world.reply('one more thing');
          while (world.open('send_message').length > 0) {
            if (second < forS) world.messageFails(failures.unreachable);
            else world.accepted();
          }
          sinceMs = Math.min(sinceMs, world.job.trouble?.sinceMs ?? Number.POSITIVE_INFINITY);
        });
        const waitsSinceMs = Math.max(sinceMs, startMs + Math.min(...repliesAtS) * SECOND_MS);
        const dueMs = Math.min(sinceMs + LONG_OUTAGE_MS, waitsSinceMs + LONG_WAIT_MS);
        expectToldAfter(dueMs, startMs + forS * SECOND_MS, all);
        expect(world.job.trouble).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('when the request has waited for two minutes, whatever restarts (W2)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), (forS) => {
        const world = aJobBeingCreated();
        const { nowMs: startMs } = world;
        const all = live(world, forS + 120, (second) => {
          const isDue = world.nowMs >= (world.job.trouble?.retryAtMs ?? 0);
          if (world.open('create_job').length === 0 || !isDue) return;
          if (second < forS) world.createFails(failures.unreachable);
          else world.created();
        });
        expectToldAfter(startMs + LONG_WAIT_MS, startMs + forS * SECOND_MS, all);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the thread hears of a rate limit once', () => {
  test('and only if somebody has to wait for it for longer than ten minutes (W2)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: 0, max: 900 })), { minLength: 1, maxLength: 8 }),
        (waits) => {
          const world = aJobBeingCreated();
          const { nowMs: startMs } = world;
          for (const waitS of waits) {
            world.createFails(limitedFor(waitS));
            world.nowMs = world.job.trouble?.retryAtMs ?? world.nowMs;
          }
          const longestMs = world.nowMs - startMs;
          world.created();
          const told = world.told.filter(({ kind }) => kind === 'trouble');
          // Without a time, nobody knows of the last wait before it is over.
          const knownMs = waits.at(-1) ? longestMs : longestMs - BETWEEN_TRIES_MS;
          if (longestMs <= LONG_OUTAGE_MS) expect(told).toEqual([]);
          if (knownMs > LONG_OUTAGE_MS) expect(told).toHaveLength(1);
          expect(told.length).toBeLessThanOrEqual(1);
          expect(world.news).not.toContain('recovered');
        },
      ),
      { numRuns: 300 },
    );
  });
});

function limitedFor(waitS: number | null): AgentFailure {
  const retryAfterMs = waitS === null ? null : waitS * SECOND_MS;
  return aFailure({ reason: 'rate_limited', status: 429, retryAfterMs });
}
