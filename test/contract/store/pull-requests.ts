import { describe, expect, test } from 'vitest';
import { type Check, PullRequests } from '../../../src/features/pull-requests/queries.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

const KEY = 'https://github.com/acme/docs/pull/14';
const SUBJECT = `T1:${KEY}`;
const link = { key: KEY, url: `${KEY}/files` };
const seen: Check = {
  outcome: 'seen',
  misses: 0,
  changedAtMs: null,
  seen: { facts: { state: 'open', title: 'Quickstart' }, memory: { etag: '"1"' } },
};

export function pullRequestContract(open: OpenStore): void {
  describe('pull requests that are looked at', () => {
    const opened = useStore(open);
    const announce = (fields: Partial<Job> = {}, nowMs = NOW_MS, watched = link) => {
      const job = aJob({ threadTs: null, ...fields });
      return opened.run(async (tx) => {
        await tx.write(aDecision({ job }), nowMs);
        await tx.queries(PullRequests).watch(job, watched, nowMs);
      });
    };
    const get = (subject = SUBJECT) => opened.run((tx) => tx.queries(PullRequests).get(subject));
    const jobsOf = (subject = SUBJECT) => opened.run((tx) => tx.queries(PullRequests).jobsOf(subject));
    const looked = (look: Check) => opened.run((tx) => tx.queries(PullRequests).recordCheck(SUBJECT, look));
    /** The looks that are due until then, each with its group. */
    const due = async (nowMs = NOW_MS) =>
      (await opened.claim(['look_at_pull_request'], nowMs, { leaseUntilMs: nowMs })).map(
        ({ subject, group }) => [subject, group],
      );

    test('one that a job announces is looked at at once, in the group of its code host', async () => {
      expect(await get()).toBeNull();
      await announce();
      expect(await due(NOW_MS - 1)).toEqual([]);
      expect(await due()).toEqual([[SUBJECT, 'github.com/']]);
      expect(await get()).toEqual({
        ...{ teamId: 'T1', key: KEY, watchedFromMs: NOW_MS, changedAtMs: null },
        ...{ outcome: null, misses: 0, facts: null, memory: null },
      });
      expect(await jobsOf()).toEqual([{ jobId: 'job-1', url: link.url }]);
    });

    test('two jobs of a workspace share one, and workspaces share none', async () => {
      await announce({ id: 'job-2' });
      await announce({ id: 'job-1' }, NOW_MS, { key: KEY, url: KEY });
      await announce({ id: 'job-3', teamId: 'T2' });
      expect((await due()).map(([subject]) => subject).toSorted()).toEqual([SUBJECT, `T2:${KEY}`]);
      expect((await jobsOf()).map(({ jobId, url }) => [jobId, url])).toEqual([
        ['job-1', KEY],
        ['job-2', link.url],
      ]);
      expect(await jobsOf(`T2:${KEY}`)).toHaveLength(1);
    });

    test('what a look saw is kept, also when later looks see nothing', async () => {
      await announce();
      await looked({ ...seen, changedAtMs: 5 });
      await looked({ outcome: 'not_found', misses: 2, changedAtMs: 5, seen: null });
      expect(await get()).toMatchObject({
        outcome: 'not_found',
        misses: 2,
        changedAtMs: 5,
        facts: { state: 'open', title: 'Quickstart' },
        memory: { etag: '"1"' },
      });
    });

    test('one that is announced again is looked at like a new one, and keeps what is known', async () => {
      await announce();
      await looked(seen);
      await looked({ outcome: 'not_found', misses: 5, changedAtMs: null, seen: null });
      await announce({}, NOW_MS + 9, { key: KEY, url: KEY });
      expect(await get()).toMatchObject({ misses: 0, watchedFromMs: NOW_MS + 9, facts: { state: 'open' } });
      expect(await jobsOf()).toEqual([{ jobId: 'job-1', url: KEY }]);
      expect(await due(NOW_MS + 8)).toEqual([]);
      expect(await due(NOW_MS + 9)).toHaveLength(1);
    });

    test('goes, with its task, when its last job goes; a look never keeps a job', async () => {
      const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
      const prune = () => opened.run((tx) => tx.retention.pruneJobs(NOW_MS, 9, NOW_MS));
      await announce({ id: 'job-1', requestedAtMs: NOW_MS - 1, stage: ended });
      await announce({ id: 'job-2', requestedAtMs: NOW_MS, stage: ended });
      expect(await prune()).toBe(1);
      expect((await jobsOf()).map(({ jobId }) => jobId)).toEqual(['job-2']);
      expect(await due()).toHaveLength(1);
      await opened.write({ job: aJob({ id: 'job-2', requestedAtMs: 1, stage: ended }) }, 1);
      expect(await prune()).toBe(1);
      expect(await get()).toBeNull();
      expect(await due()).toEqual([]);
    });
  });
}
