import { describe, expect, test } from 'vitest';
import { type Check, PullRequests } from '../../../src/features/pull-requests/queries.ts';
import { Reports } from '../../../src/features/reports/queries.ts';
import type { CountedJob } from '../../../src/features/reports/report.ts';
import { StepTokens } from '../../../src/features/workflow-step/start.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { newRuns } from '../../../src/jobs/recipe.ts';
import type { Recorded } from '../../../src/store/queries/operations.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aDecision, aJob, NOW_MS } from './samples.ts';

export function featureContract(open: OpenStore): void {
  describe('pull requests that are looked at', () => {
    const KEY = 'https://github.com/acme/docs/pull/14';
    const SUBJECT = `T1:${KEY}`;
    const link = { key: KEY, url: `${KEY}/files` };
    const seen: Check = {
      outcome: 'seen',
      misses: 0,
      changedAtMs: null,
      seen: { facts: { state: 'open', title: 'Quickstart' }, memory: { etag: '"1"' } },
    };

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

  describe('recipes', () => {
    const key = { teamId: 'T1', name: 'weekly-review' };

    const opened = useStore(open);

    test('begin without a job, and keep what is written of them', async () => {
      expect(await opened.run((tx) => tx.recipes.get(key))).toEqual(newRuns);
      expect(await opened.run((tx) => tx.recipes.lock(key))).toEqual(newRuns);
      const runs = { jobId: null, failures: 2, hasFailed: true, pausedAtMs: 7 };
      await opened.run((tx) => tx.recipes.put(key, runs));
      expect(await opened.run((tx) => tx.recipes.lock(key))).toEqual(runs);
      expect(await opened.run((tx) => tx.recipes.get({ ...key, teamId: 'T2' }))).toEqual(newRuns);
    });
  });

  describe('schedules', () => {
    const HOUR_MS = 3_600_000;
    const key = { teamId: 'T1', name: 'weekly-review' };
    const mondays = { cron: '0 9 * * 1', zone: 'Europe/Berlin' };

    const opened = useStore(open);
    const follow = (schedule: typeof mondays, nowMs: number, of = key) =>
      opened.run((tx) => tx.schedules.follow(of, schedule, nowMs));
    const serve = (untilMs: number) => opened.run((tx) => tx.schedules.serve(key, untilMs));
    const leaveAllBut = (...names: string[]) =>
      opened.run((tx) => tx.schedules.leaveAllBut(key.teamId, names));
    const servedUntilMs = (of = key, nowMs = NOW_MS) =>
      opened.run((tx) => tx.schedules.servedUntilMs(of, nowMs));

    test('begin when they are seen first; the same one goes on, a new one begins anew', async () => {
      expect(await servedUntilMs()).toBeNull();
      expect(await follow(mondays, NOW_MS)).toBe(NOW_MS);
      expect(await follow(mondays, NOW_MS + 1)).toBe(NOW_MS);
      expect(await follow({ ...mondays, zone: 'UTC' }, NOW_MS + 2)).toBe(NOW_MS + 2);
      expect(await follow(mondays, NOW_MS + 3)).toBe(NOW_MS + 3);
      expect(await servedUntilMs()).toBe(NOW_MS + 3);
    });

    test('that a clock that was ahead has served are served until now', async () => {
      await follow(mondays, NOW_MS + 24 * HOUR_MS);
      expect(await servedUntilMs(key, NOW_MS + 23 * HOUR_MS)).toBe(NOW_MS + 24 * HOUR_MS);
      expect(await servedUntilMs(key, NOW_MS)).toBe(NOW_MS);
      await serve(NOW_MS + 5);
      expect(await servedUntilMs(key, NOW_MS + 6)).toBe(NOW_MS + 5);
    });

    test('are of their workspace', async () => {
      await follow(mondays, NOW_MS);
      expect(await servedUntilMs({ ...key, teamId: 'T2' })).toBeNull();
      await opened.run((tx) => tx.schedules.leaveAllBut('T2', []));
      expect(await follow(mondays, NOW_MS + 1)).toBe(NOW_MS);
    });

    test('are served once, also by one whose clock is behind, or that took long', async () => {
      await follow(mondays, NOW_MS);
      await serve(NOW_MS + 20_000);
      await serve(NOW_MS + 10_000);
      expect(await servedUntilMs()).toBe(NOW_MS + 20_000);
      expect(await follow({ ...mondays, zone: 'UTC' }, NOW_MS + 5)).toBe(NOW_MS + 20_000);
    });

    test('that have left the settings are still served by who has them, and begin anew when they return', async () => {
      const digest = { ...key, name: '(digest)' };
      await follow(mondays, NOW_MS);
      await follow(mondays, NOW_MS, digest);
      await leaveAllBut(digest.name);
      expect(await servedUntilMs()).toBe(NOW_MS);
      await serve(NOW_MS + 1);
      expect(await follow(mondays, NOW_MS + 2, digest)).toBe(NOW_MS);
      expect(await follow(mondays, NOW_MS + 2)).toBe(NOW_MS + 2);
      await leaveAllBut();
      expect(await follow(mondays, NOW_MS + 3)).toBe(NOW_MS + 3);
    });
  });

  describe('answers of webhooks', () => {
    const WEEK_MS = 7 * 86_400_000;

    const opened = useStore(open);
    const ask = (key: string, answer: string, nowMs = NOW_MS) =>
      opened.run(async (tx) => {
        const known = await tx.hookAnswers.claim(key, nowMs);
        if (known !== null) return known;
        await tx.hookAnswers.put(key, answer);
        return answer;
      });

    test('are those of the first request of a key, for a week', async () => {
      expect(await ask('a', 'first')).toBe('first');
      expect(await ask('a', 'second', NOW_MS + WEEK_MS)).toBe('first');
      expect(await ask('b', 'other')).toBe('other');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + WEEK_MS));
      expect(await ask('a', 'third', NOW_MS + WEEK_MS)).toBe('first');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + WEEK_MS + 1));
      expect(await ask('a', 'fourth', NOW_MS + WEEK_MS + 1)).toBe('fourth');
    });

    test('are the same for requests at the same time', async () => {
      const answers = await Promise.all(['one', 'two', 'three'].map((answer) => ask('a', answer)));
      expect(new Set(answers).size).toBe(1);
    });
  });

  describe('tokens of steps', () => {
    const opened = useStore(open);
    const kept = () =>
      opened.run(async (tx) => {
        await tx.write(aDecision({ job: aJob({ id: 'job-1' }) }), NOW_MS);
        await tx.queries(StepTokens).keep('job-1', 'token-1', NOW_MS + 1_000);
      });
    const token = (nowMs: number) => opened.run((tx) => tx.queries(StepTokens).get('job-1', nowMs));

    test('a token is there until it is no longer valid', async () => {
      expect(await token(NOW_MS)).toBeNull();
      await kept();
      expect(await token(NOW_MS + 999)).toBe('token-1');
      expect(await token(NOW_MS + 1_000)).toBeNull();
    });
  });

  describe('what reports count', () => {
    const HOUR_MS = 3_600_000;
    const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 1_000 };

    const opened = useStore(open);
    const write = (job: Partial<Job>, more = {}) =>
      opened.write({ job: aJob({ threadTs: null, ...job }), ...more });

    const jobs = () => opened.run((tx) => tx.queries(Reports).jobs(PERIOD, null));
    const startedAgain = (teamId: string | null = null) =>
      opened.run((tx) => tx.queries(Reports).startedAgain(PERIOD, teamId));
    const idsIn = (counted: readonly CountedJob[]) => counted.map(({ job }) => job.id);

    test('jobs come in the order of time, each once', async () => {
      for (const id of ['c', 'a', 'b']) await write({ id, requestedAtMs: NOW_MS + 5 });
      await write({ id: 'too early', requestedAtMs: NOW_MS - 1 });
      await write({ id: 'first', requestedAtMs: NOW_MS });
      await write({ id: 'last', requestedAtMs: NOW_MS + 999 });
      await write({ id: 'too late', requestedAtMs: NOW_MS + 1_000 });
      expect(idsIn(await jobs())).toEqual(['first', 'a', 'b', 'c', 'last']);
    });

    test('jobs come with their creates and announcements, in their order', async () => {
      const announcement = { kind: 'started' } as const;
      const calls = [
        aCreateCall('create'),
        aCall('card'),
        aCall('news', { request: { kind: 'announce', announcement } }),
      ];
      await write({ id: 'with', announcedPrLink: 'https://example.com/pull/1' }, { calls });
      await write({ id: 'without' }, { calls: [aCreateCall('other')] });
      expect(
        (await jobs()).map(({ job, calls: read }) => [job.id, read.map(({ request }) => request.kind)]),
      ).toEqual([
        ['with', ['create_job', 'announce']],
        ['without', ['create_job']],
      ]);
    });

    test('older jobs that were started again come once', async () => {
      const older = { requestedAtMs: NOW_MS - 1, creates: 2 };
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await write({ id, ...older });
      await write({ id: 'theirs', ...older, teamId: 'T2' });
      await write({ id: 'young', creates: 2 });
      const press = (jobId: string | null, fields: Partial<Recorded> = {}) =>
        opened.run((tx) => {
          const who = { atMs: NOW_MS, teamId: 'T1', userId: 'U1', action: 'press' } as const;
          const entry = { ...who, source: 'start_again', jobId, outcome: 'accepted', ...fields };
          return tx.audit.record(entry, `${jobId} ${JSON.stringify(fields)}`);
        });
      await press('b');
      await press('b', { atMs: NOW_MS + 999 });
      await press('a', { source: 'edit_and_start' });
      await press('theirs');
      await press('young');
      await press('c', { atMs: NOW_MS - 1 });
      await press('d', { atMs: NOW_MS + 1_000 });
      await press('e', { outcome: 'too_late' });
      await press('f', { source: 'send_again' });
      await press(null);
      expect(idsIn(await startedAgain())).toEqual(['a', 'b', 'theirs']);
      expect(idsIn(await startedAgain('T1'))).toEqual(['a', 'b']);
    });

    /** Jobs of a project, with a call to the agent at each of these times. */
    async function callAt(projectId: string, times: readonly number[]) {
      const calls = times.map((_, index) => aCreateCall(`${projectId}-${index}`));
      await write({ id: `job-of-${projectId}`, projectId }, { calls });
      for (const [index, { id }] of calls.entries())
        await opened.run((tx) => tx.calls.start(id, times[index] ?? 0));
    }

    const busiestHour = (projectIds: readonly string[] | null, untilMs = PERIOD.untilMs) =>
      opened.run((tx) => tx.queries(Reports).busiestHour({ ...PERIOD, untilMs }, projectIds));

    test('the busiest hour is that of one project, and counts the calls of the period to the agent', async () => {
      expect(await busiestHour(null)).toBe(0);
      await callAt('docs', [NOW_MS + 7, NOW_MS + 7, NOW_MS - 1, NOW_MS + 3, NOW_MS + 1_000]);
      await callAt('other', [NOW_MS, NOW_MS + 999]);
      const waits = [aCreateCall('waits'), aCall('post')];
      await write({ id: 'waiting', projectId: 'docs' }, { calls: waits });
      await opened.run((tx) => tx.calls.start('post', NOW_MS + 1));
      expect(await busiestHour(null)).toBe(3);
      expect(await busiestHour(['docs', 'other'])).toBe(3);
      expect(await busiestHour(['other'])).toBe(2);
    });

    test('the peak is the most calls of any 60 minutes', async () => {
      const times = fc.array(fc.integer({ min: 0, max: 10 * HOUR_MS }), { maxLength: 40 });
      let projects = 0;
      await fc.assert(
        fc.asyncProperty(times, async (afterMs) => {
          projects += 1;
          const projectId = `project-${projects}`;
          await callAt(
            projectId,
            afterMs.map((each) => NOW_MS + each),
          );
          const inHourUpTo = (end: number) =>
            afterMs.filter((each) => each <= end && each > end - HOUR_MS).length;
          const most = Math.max(0, ...afterMs.map(inHourUpTo));
          expect(await busiestHour([projectId], NOW_MS + 11 * HOUR_MS)).toBe(most);
        }),
        { numRuns: 10 },
      );
    });
  });

  describe('what audits read', () => {
    const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 10_000 };
    const press: Recorded = {
      ...{ atMs: NOW_MS, teamId: 'T1', userId: 'U1', action: 'press', source: 'start_again' },
      ...{ jobId: 'job-1', outcome: 'accepted' },
    };

    const opened = useStore(open);
    const record = (id: string, fields: Partial<Recorded> = {}) =>
      opened.run((tx) => tx.audit.record({ ...press, ...fields }, id));

    test('what was recorded comes in the order of time, each once', async () => {
      await record('b', { source: 'second' });
      await record('a', { source: 'first' });
      await record('c', { atMs: NOW_MS + 9_999, source: 'last', jobId: null });
      await record('d', { atMs: NOW_MS + 10_000, source: 'too late' });
      await record('e', { atMs: NOW_MS - 1, source: 'too early' });
      expect(await opened.run((tx) => tx.queries(Reports).recorded(PERIOD))).toEqual([
        { ...press, source: 'first' },
        { ...press, source: 'second' },
        { ...press, atMs: NOW_MS + 9_999, source: 'last', jobId: null },
      ]);
    });

    test('what was recorded is deleted when it is as old as deleted jobs, a batch at a time', async () => {
      for (const [index, atMs] of [NOW_MS - 2, NOW_MS - 1, NOW_MS].entries())
        await record(`entry-${index}`, { atMs });
      const prune = () => opened.run((tx) => tx.retention.pruneTraces(NOW_MS, 1, NOW_MS));
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(0);
      const period = { sinceMs: 0, untilMs: NOW_MS + 1 };
      expect(await opened.run((tx) => tx.queries(Reports).recorded(period))).toEqual([press]);
    });
  });
}
