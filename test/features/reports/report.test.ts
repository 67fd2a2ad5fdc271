import { describe, expect, test } from 'vitest';
import { type CountedJob, createTally, type Period, quantile } from '../../../src/features/reports/report.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { PUBLIC_SITES } from '../../../src/jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS } from '../../jobs/support/builders.ts';
import { START_MS, World } from '../../jobs/support/world.ts';
import { aJob } from '../../support/a-job.ts';
import { fc } from '../../support/properties.ts';

const LINK = 'https://github.com/acme/docs/pull/1';
function counted(...jobs: readonly CountedJob[]) {
  return countedIn({ sinceMs: 0, untilMs: START_MS + 24 * HOUR_MS }, ...jobs);
}

function countedIn(period: Period, ...jobs: readonly CountedJob[]) {
  const tally = createTally(period, PUBLIC_SITES);
  for (const job of jobs) tally.add(job);
  return tally.report({ peak_per_hour: 0, limit: 100 }).report;
}

/** The job of a world, with its ledger as the store reads it. */
function of({ job, calls }: World): CountedJob {
  const past = calls.map(({ request, state, createdAtMs }) => ({
    request,
    state: state === 'open' ? ('pending' as const) : state,
    createdAtMs,
    endedAtMs: null,
  }));
  return { job, calls: past, unclearReplies: 0 };
}

function withoutCalls(facts: Partial<Job>): CountedJob {
  return { job: aJob(facts), calls: [], unclearReplies: 0 };
}

function started(): World {
  const world = new World();
  world.cardPosted();
  return world;
}

function ended(status: string, prLink: string | null = null): World {
  const world = started();
  world.created();
  world.check(anAgentJob({ status, prLink }));
  return world;
}

describe('a report (L4)', () => {
  test('has each start once: as ended, as unclear, or as open', () => {
    const rejected = started();
    rejected.createFails(failures.rejected);
    const unknown = started();
    unknown.createFails(failures.timeout);
    const report = counted(
      of(ended('completed', LINK)),
      of(ended('completed')),
      of(ended('failed')),
      of(ended('archived')),
      of(rejected),
      of(unknown),
      of(started()),
      of(new World()),
      withoutCalls({ stage: { kind: 'ended', status: 'vanished', sinceMs: 0 } }),
    );
    expect(report.starts.total).toBe(9);
    expect(report.ends).toEqual({ pull_request: 1, done: 1, failed: 1, refused: 1, gone: 1, archived: 1 });
    expect(report.unclear).toEqual({ starts: 1, replies: 0 });
    expect(report.open).toBe(2);
  });

  test('names the latest unclear start, and the pull requests that wait for a review, the oldest first', () => {
    const waiting = (number: number, facts: PullRequestFacts) => {
      const url = `https://github.com/acme/docs/pull/${number}`;
      const pullRequests = [{ url, facts, seenAtMs: START_MS, reminders: 0 }];
      const counted = of(ended('completed', url));
      return { ...counted, job: { ...counted.job, pullRequests } };
    };
    const unknown = started();
    unknown.createFails(failures.timeout);
    const tally = createTally({ sinceMs: 0, untilMs: START_MS + 24 * HOUR_MS }, PUBLIC_SITES);
    const jobs = [
      waiting(1, { state: 'open', openedAtMs: 2_000 }),
      waiting(2, { state: 'open', openedAtMs: 1_000 }),
      waiting(2, { state: 'open', openedAtMs: 1_000 }),
      waiting(3, { state: 'merged', openedAtMs: 1_000 }),
      waiting(4, { state: 'open', review: 'approved', openedAtMs: 1_000 }),
      of(unknown),
    ];
    for (const job of jobs) tally.add(job);
    expect(tally.report({ peak_per_hour: 0, limit: 100 }).leftToDo).toEqual({
      unclear: unknown.job,
      waitingForReview: [
        { url: 'https://github.com/acme/docs/pull/2', sinceMs: 1_000 },
        { url: 'https://github.com/acme/docs/pull/1', sinceMs: 2_000 },
      ],
    });
  });

  test('leaves out what never started, and what only watches the job of another', () => {
    const refusedCard = new World();
    refusedCard.cardRefused();
    const report = counted(
      of(refusedCard),
      withoutCalls({ stage: { kind: 'awaiting_confirmation', sameAsJobId: null, thread: null } }),
      withoutCalls({
        watchedAgentJobId: 'agent-7',
        stage: { kind: 'ended', status: 'completed', sinceMs: 0 },
      }),
    );
    expect(report.starts.total).toBe(0);
    expect(report.open).toBe(0);
    expect(report.ends.done).toBe(0);
  });

  test('counts each pull request of a job once, as its code host last described it', () => {
    const seen = (url: string, state?: 'draft' | 'merged' | 'closed') => ({
      url,
      facts: state === undefined ? {} : { state },
      seenAtMs: 0,
      reminders: 0,
    });
    const world = ended('completed', LINK);
    const { job, calls } = of(world);
    const other = 'https://github.com/acme/docs/pull/2';
    const another = {
      state: 'done',
      createdAtMs: 0,
      endedAtMs: 0,
      request: {
        kind: 'announce',
        announcement: {
          kind: 'pull_request',
          link: { url: other, is: 'another' },
          branch: null,
          authors: [],
        },
      },
    } as const;
    const both = { job, calls: [...calls, another], unclearReplies: 0 };
    expect(counted(both).pull_requests).toEqual({ open: 0, merged: 0, closed: 0, unknown: 2 });
    const merged = { ...job, pullRequests: [seen(`${LINK}/files`, 'merged'), seen(other, 'draft')] };
    expect(counted({ ...both, job: merged }).pull_requests).toEqual({
      ...{ open: 1, merged: 1 },
      ...{ closed: 0, unknown: 0 },
    });
  });

  test('measures from the request to the first pull request', () => {
    const world = started();
    world.nowMs += MINUTE_MS;
    world.created();
    world.nowMs += MINUTE_MS;
    world.check(anAgentJob({ status: 'completed', prLink: LINK }));
    expect(counted(of(world)).seconds_to_pull_request).toEqual({ median: 120, p90: 120 });
    expect(counted().seconds_to_pull_request).toEqual({ median: null, p90: null });
  });
});

test('a duration that a step of the clock made negative is none', () => {
  expect(quantile([-5_000], 0.5)).toBe(0);
});

test('quantiles are those of a sorted list', () => {
  const durations = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.9), (seconds, share) => {
      const sorted = seconds.toSorted((a, b) => a - b);
      const durationsMs = seconds.map((each) => each * 1_000);
      expect(quantile(durationsMs, share)).toBe(sorted[Math.ceil(share * sorted.length) - 1]);
    }),
  );
});
