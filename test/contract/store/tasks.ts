import { describe, expect, test } from 'vitest';
import { type ClaimedTask, LeaseLostError } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, NOW_MS } from './samples.ts';

const LEASE_MS = 1_000;

export function taskContract(open: OpenStore): void {
  describe('the due queue', () => {
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

    test('a time may have fractions of a millisecond, as quotients have', async () => {
      await schedule('fraction', NOW_MS + 0.4);
      expect(subjects(await claim(NOW_MS + 1))).toEqual(['fraction']);
    });

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

    test('many claimers at the same time never get the same task', async () => {
      for (let index = 0; index < 30; index += 1) await schedule(`job-${index}`, NOW_MS - index);
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(NOW_MS, 4)));
      const claimed = claims.flat().map((task) => task.subject);
      expect(new Set(claimed).size).toBe(claimed.length);
      expect(claimed.length + (await claim(NOW_MS, 100)).length).toBe(30);
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

    test('what was in hand, and was taken over and freed, is claimed as any other', async () => {
      await schedule('job-1', NOW_MS);
      const old = await claimOne(NOW_MS);
      const taken = await claimOne(NOW_MS + LEASE_MS);
      await opened.run((tx) => tx.tasks.release([taken.lease]));
      const claimed = await opened.claim(['check_job'], NOW_MS, { inFlight: [old.lease], limit: 1 });
      expect(subjects(claimed)).toEqual(['job-1']);
    });

    test('the time of leases goes on', async () => {
      const read = () => opened.run((tx) => tx.tasks.leaseNowMs());
      const before = await read();
      expect(Number.isInteger(before)).toBe(true);
      expect(await read()).toBeGreaterThanOrEqual(before);
    });
  });
}
