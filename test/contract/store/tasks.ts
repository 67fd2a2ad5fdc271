import { describe, expect, test } from 'vitest';
import { taskKinds } from '../../../src/jobs/task-kinds.ts';
import { type ClaimedTask, LeaseLostError } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aDecision, aJob, NOW_MS } from './samples.ts';

export function taskContract(open: OpenStore): void {
  describe('the due queue', () => {
    const LEASE_MS = 1_000;

    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number, ifScheduled: 'keep' | 'replace' = 'keep') =>
      opened.schedule('check_job', subject, runAtMs, ifScheduled);
    const claim = (nowMs: number, limit = 10) => opened.claim(['check_job'], nowMs, { limit });
    const claimOne = async (nowMs: number): Promise<ClaimedTask> => {
      const [task] = await claim(nowMs);
      if (task === undefined) throw new Error('a task is due');
      return task;
    };
    const complete = (task: ClaimedTask) => opened.run((tx) => tx.tasks.complete(task.lease));
    const postpone = (task: ClaimedTask, runAtMs: number) =>
      opened.run((tx) => tx.tasks.retryAt(task.lease, runAtMs));
    const nextDueAtMs = () => opened.run((tx) => tx.tasks.nextDueAtMs(['check_job']));
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map((task) => task.subject);

    test('a task can be hastened, also after a failure, unless it is in hand', async () => {
      const hasten = (subject: string) =>
        opened.run((tx) => tx.tasks.runNowUnlessLocked('check_job', subject, NOW_MS));
      expect(await hasten('none')).toBe(0);
      await schedule('later', NOW_MS + 60_000);
      expect(await hasten('later')).toBe(1);
      const task = await claimOne(NOW_MS);
      expect(await hasten('later')).toBe(0);
      await postpone(task, NOW_MS + 60_000);
      expect(await hasten('later')).toBe(1);
      await complete(await claimOne(NOW_MS));
      expect(await hasten('later')).toBe(0);
    });

    test('a failed task is due at its time, and counts as failing until a run succeeds', async () => {
      const fail = (task: ClaimedTask, nowMs: number) =>
        opened.run((tx) => tx.tasks.fail(task.lease, nowMs + 10, 'the disk is gone', nowMs));
      const failing = (sinceMs: number) => opened.run((tx) => tx.stats.failingTasks(sinceMs + 60_000));
      await schedule('job-1', NOW_MS);
      await fail(await claimOne(NOW_MS), NOW_MS);
      const again = await claimOne(NOW_MS + 10);
      expect(again.attempts).toBe(1);
      await fail(again, NOW_MS + 10);
      await schedule('job-1', NOW_MS + 20);
      expect(await failing(NOW_MS - 1)).toEqual([]);
      expect(await failing(NOW_MS)).toEqual([
        { kind: 'check_job', words: 'the disk is gone', count: 1, sinceMs: NOW_MS },
      ]);
      const ends: readonly ((task: ClaimedTask) => Promise<unknown>)[] = [
        (task) => postpone(task, NOW_MS + 30),
        (task) => opened.run((tx) => tx.tasks.repeat(task.lease, NOW_MS + 30)),
        (task) =>
          opened.run((tx) =>
            tx.checks.endUnchanged(
              [{ kind: 'check_job', lease: task.lease, nextCheckAtMs: NOW_MS + 30 }],
              NOW_MS + 20,
            ),
          ),
      ];
      for (const end of ends) {
        await end(await claimOne(NOW_MS + 30));
        expect(await failing(NOW_MS + 30)).toEqual([]);
        await fail(await claimOne(NOW_MS + 30), NOW_MS + 20);
        const deferred = await claimOne(NOW_MS + 30);
        await opened.run((tx) => tx.tasks.delayUntil(deferred.lease, NOW_MS + 30));
        expect(await failing(NOW_MS + 30)).toHaveLength(1);
      }
      const lost = await claimOne(NOW_MS + 30);
      await claim(NOW_MS + 30 + LEASE_MS);
      await expect(fail(lost, NOW_MS + 30)).rejects.toThrow(LeaseLostError);
    });

    test('tasks that are given back can be claimed at once, as they were', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', NOW_MS - 1);
      const tasks = await claim(NOW_MS);
      await opened.run((tx) => tx.tasks.release(tasks.map((task) => task.lease)));
      await expect(complete(tasks[0] as ClaimedTask)).rejects.toThrow(LeaseLostError);
      const again = await claim(NOW_MS);
      expect(again.map(({ subject, attempts }) => [subject, attempts])).toEqual([
        ['job-2', 0],
        ['job-1', 0],
      ]);
      // What another holds by now is left alone.
      await opened.run((tx) => tx.tasks.release(tasks.map((task) => task.lease)));
      expect(await claim(NOW_MS)).toEqual([]);
    });

    test.each(['fence', 'complete', 'retryAt', 'delayUntil', 'repeat'] as const)(
      'after a takeover %s by the old holder undoes its whole transaction',
      async (verb) => {
        await schedule('job-1', NOW_MS);
        const old = await claimOne(NOW_MS);
        const taken = await claimOne(NOW_MS + LEASE_MS);
        const late = opened.run(async (tx) => {
          await tx.write(aDecision(), NOW_MS);
          await tx.tasks[verb](old.lease, NOW_MS);
        });
        await expect(late).rejects.toThrow(LeaseLostError);
        expect(await opened.run((tx) => tx.jobs.get('job-1'))).toBeNull();
        await complete(taken);
        expect(await nextDueAtMs()).toBe(Number.POSITIVE_INFINITY);
      },
    );

    test('what the claimer has in hand is not claimed again: its lease begins again', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', NOW_MS + 1);
      const own = await claimOne(NOW_MS);
      const wokenAtMs = NOW_MS + 5 * LEASE_MS;
      const again = await opened.claim(['check_job'], wokenAtMs, { inFlight: [own.lease], limit: 1 });
      expect(subjects(again)).toEqual(['job-2']);
      expect(subjects(await claim(wokenAtMs + LEASE_MS - 1))).toEqual([]);
      await complete(own);
    });
  });

  describe('the groups of tasks', () => {
    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number) => opened.schedule('check_job', subject, runAtMs);
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map((task) => task.subject);

    test('a task belongs to the group of its job; groups that are left out hide nothing, however long they wait', async () => {
      const job = aJob({ teamId: 'T1', channelId: 'C1', projectId: 'docs' });
      const calls = [
        aCall('call-1'),
        aCall('call-2', { lane: { to: 'slack', name: 'notice:job-1:C2' } }),
        aCreateCall('call-3'),
      ];
      await opened.write({ job, calls });
      await opened.run((tx) => tx.homes.opened('T1', 'U1', NOW_MS));
      await opened.schedule('refresh_card', 'job-1', NOW_MS);
      await schedule('job-1', NOW_MS);
      await schedule('gone', NOW_MS + 5);
      const claimWithout = async (skippedGroups: readonly string[]) => {
        const atMs = NOW_MS + 10;
        const found = await opened.claim(taskKinds, atMs, { leaseUntilMs: atMs, skippedGroups });
        return Object.fromEntries(found.map(({ lease, group }) => [lease.id, group]));
      };
      const all = {
        'post_to_slack:thread:job-1': 'T1/C1/',
        'post_to_slack:notice:job-1:C2': 'T1/C2/',
        'call_agent:agent:job-1': 'docs/',
        'refresh_home:T1:U1': 'T1/U1/',
        'refresh_card:job-1': 'T1/C1/',
        'check_job:job-1': 'docs/',
        'check_job:gone': '',
      };
      const nextDueAtMs = (skippedGroups: readonly string[]) =>
        opened.run((tx) => tx.tasks.nextDueAtMs(['check_job'], skippedGroups));
      expect(await nextDueAtMs(['T1/'])).toBe(NOW_MS);
      expect(await nextDueAtMs(['docs/'])).toBe(NOW_MS + 5);
      expect(await claimWithout([])).toEqual(all);
      const { 'refresh_home:T1:U1': home, 'check_job:gone': gone, ...others } = all;
      expect(await claimWithout(['docs/', 'T1/C1/', 'T1/C2/'])).toEqual({
        'refresh_home:T1:U1': home,
        'check_job:gone': gone,
      });
      expect(await claimWithout(['T1/', 'doc/', 'T/'])).toEqual({
        'check_job:job-1': others['check_job:job-1'],
        'call_agent:agent:job-1': others['call_agent:agent:job-1'],
        'check_job:gone': gone,
      });
    });

    test('of what is found, only what is admitted is claimed', async () => {
      await schedule('a', NOW_MS - 1);
      await schedule('b', NOW_MS);
      const admit = async (found: readonly ClaimedTask[]) => found.filter(({ subject }) => subject === 'b');
      expect(subjects(await opened.claim(['check_job'], NOW_MS, { admit }))).toEqual(['b']);
      expect(subjects(await opened.claim(['check_job'], NOW_MS))).toEqual(['a']);
    });
  });

  describe('the tasks of what is drawn', () => {
    const opened = useStore(open);
    const schedule = (runAtMs: number) => opened.schedule('refresh_card', 'job-1', runAtMs, 'replace');
    const claim = (nowMs: number) => opened.claim(['refresh_card'], nowMs);
    const claimOne = async (nowMs: number): Promise<ClaimedTask> => {
      const [claimed] = await claim(nowMs);
      if (claimed === undefined) throw new Error('a task is due');
      return claimed;
    };
    const postpone = ({ lease }: ClaimedTask, runAtMs: number) =>
      opened.run((tx) => tx.tasks.retryAt(lease, runAtMs));

    test('a repeated task is due at its time, or at the time it was rescheduled for in flight', async () => {
      await schedule(NOW_MS);
      const first = await claimOne(NOW_MS);
      await opened.run((tx) => tx.tasks.markUnknown(first.lease, NOW_MS + 20));
      await postpone(first, NOW_MS + 10);
      const second = await claimOne(NOW_MS + 10);
      expect([first, second].map(({ unknownUntilMs }) => unknownUntilMs)).toEqual([null, NOW_MS + 20]);
      await opened.run((tx) => tx.tasks.repeat(second.lease, NOW_MS + 20));
      expect(await claim(NOW_MS + 19)).toEqual([]);
      const third = await claimOne(NOW_MS + 20);
      expect(third.attempts).toBe(0);
      await schedule(NOW_MS + 21);
      await opened.run((tx) => tx.tasks.repeat(third.lease, NOW_MS + 60));
      expect(await claim(NOW_MS + 21)).toHaveLength(1);
    });
  });

  describe('what a clock that was ahead has planned', () => {
    const LEASE_MS = 1_000;

    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number) =>
      opened.schedule('check_job', subject, runAtMs, 'replace');
    const claim = (nowMs: number, leaseNowMs = nowMs) =>
      opened.claim(['check_job'], nowMs, { leaseNowMs, leaseUntilMs: leaseNowMs + LEASE_MS });
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map((task) => task.subject);

    test('tasks that are planned too far ahead are brought forward, also those that await a retry', async () => {
      await schedule('retried', NOW_MS);
      const [task] = await claim(NOW_MS);
      if (task !== undefined) await opened.run((tx) => tx.tasks.retryAt(task.lease, NOW_MS + 60_001));
      await schedule('far', NOW_MS + 60_002);
      await schedule('near', NOW_MS + 60_000);
      const bring = (limit: number) =>
        opened.run((tx) => tx.tasks.bringForward('check_job', NOW_MS + 60_000, NOW_MS, limit));
      expect([await bring(1), await bring(9), await bring(9)]).toEqual([1, 1, 0]);
      expect(subjects(await claim(NOW_MS)).toSorted()).toEqual(['far', 'retried']);
    });

    test('a lease that ends too late ends sooner, unless it is renewed', async () => {
      await schedule('gone', NOW_MS);
      await schedule('at work', NOW_MS);
      const tasks = await claim(NOW_MS);
      const atWork = tasks.filter(({ subject }) => subject === 'at work').map(({ lease }) => lease);
      const backMs = NOW_MS - 24 * 3_600_000;
      const untilMs = backMs + LEASE_MS;
      await opened.run((tx) => tx.tasks.shortenLeases(untilMs, untilMs, NOW_MS));
      await opened.run((tx) => tx.tasks.renew(atWork, backMs + LEASE_MS + 500));
      expect(await claim(NOW_MS, backMs + LEASE_MS - 1)).toEqual([]);
      expect(subjects(await claim(NOW_MS, backMs + LEASE_MS))).toEqual(['gone']);
    });
  });
}
