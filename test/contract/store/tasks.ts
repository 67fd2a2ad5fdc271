import { describe, expect, test } from 'vitest';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import { type ClaimedTask, LeaseLostError } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, NOW_MS } from './samples.ts';

const LEASE_MS = 1_000;

export function taskContract(open: OpenStore): void {
  describe('the due queue', () => {
    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number, ifScheduled: 'keep' | 'replace' = 'keep') =>
      opened.run((tx) => tx.tasks.schedule({ kind: 'check_job', subject, runAtMs, ifScheduled }));
    const claim = (nowMs: number, limit = 10, kinds: readonly TaskKind[] = ['check_job']) =>
      opened.run((tx) =>
        tx.tasks.claim({
          kinds,
          nowMs,
          leaseNowMs: nowMs,
          leaseUntilMs: nowMs + LEASE_MS,
          inFlight: [],
          limit,
        }),
      );
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

    test('what is due is claimed, the oldest first, up to the limit', async () => {
      await schedule('late', NOW_MS);
      await schedule('early', NOW_MS - 2);
      await schedule('middle', NOW_MS - 1);
      await schedule('future', NOW_MS + 1);
      expect(subjects(await claim(NOW_MS, 2))).toEqual(['early', 'middle']);
      expect(subjects(await claim(NOW_MS))).toEqual(['late']);
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

    test('only the kinds that are asked for are claimed', async () => {
      await schedule('job-1', NOW_MS);
      expect(await claim(NOW_MS, 10, ['refresh_card', 'post_to_slack'])).toEqual([]);
      expect(await claim(NOW_MS, 10, [])).toEqual([]);
      expect(await opened.run((tx) => tx.tasks.nextDueAtMs(['refresh_card']))).toBe(Number.POSITIVE_INFINITY);
      expect(await opened.run((tx) => tx.tasks.nextDueAtMs([]))).toBe(Number.POSITIVE_INFINITY);
    });

    test('a task in hand is not claimed again before its lease runs out', async () => {
      await schedule('job-1', NOW_MS);
      await claimOne(NOW_MS);
      expect(await claim(NOW_MS + LEASE_MS - 1)).toEqual([]);
      expect(subjects(await claim(NOW_MS + LEASE_MS))).toEqual(['job-1']);
    });

    test('many claimers at the same time never get the same task', async () => {
      for (let index = 0; index < 30; index += 1) await schedule(`job-${index}`, NOW_MS - index);
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(NOW_MS, 4)));
      const claimed = claims.flat().map((task) => task.subject);
      expect(new Set(claimed).size).toBe(claimed.length);
      expect(claimed.length + (await claim(NOW_MS, 100)).length).toBe(30);
    });

    test('a completed task is gone', async () => {
      await schedule('job-1', NOW_MS);
      await complete(await claimOne(NOW_MS));
      expect(await nextDueAtMs()).toBe(Number.POSITIVE_INFINITY);
    });

    test('a retried task is due at its time and counts its attempts', async () => {
      await schedule('job-1', NOW_MS);
      await postpone(await claimOne(NOW_MS), NOW_MS + 10);
      expect(await claim(NOW_MS + 9)).toEqual([]);
      const again = await claimOne(NOW_MS + 10);
      expect(again.attempts).toBe(1);
      await postpone(again, NOW_MS + 20);
      expect((await claimOne(NOW_MS + 20)).attempts).toBe(2);
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

    test('a delayed task is due at its time, with its attempts unchanged', async () => {
      await schedule('job-1', NOW_MS);
      await postpone(await claimOne(NOW_MS), NOW_MS + 10);
      const task = await claimOne(NOW_MS + 10);
      await opened.run((tx) => tx.tasks.delayUntil(task.lease, NOW_MS + 20));
      expect(await claim(NOW_MS + 19)).toEqual([]);
      expect((await claimOne(NOW_MS + 20)).attempts).toBe(1);
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

    test('a renewed lease holds on', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', NOW_MS - 1);
      const tasks = await claim(NOW_MS);
      const untilMs = NOW_MS + 3 * LEASE_MS;
      await opened.run((tx) =>
        tx.tasks.renew(
          tasks.map((task) => task.lease),
          untilMs,
        ),
      );
      expect(await claim(untilMs - 1)).toEqual([]);
      expect(await claim(untilMs)).toHaveLength(2);
    });

    test('a lost lease is not renewed', async () => {
      await schedule('job-1', NOW_MS);
      const old = await claimOne(NOW_MS);
      await claimOne(NOW_MS + LEASE_MS);
      await opened.run((tx) => tx.tasks.renew([old.lease], NOW_MS + 100 * LEASE_MS));
      expect(await claim(NOW_MS + 2 * LEASE_MS)).toHaveLength(1);
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

    test('a lease that ran out but was not taken over is still held', async () => {
      await schedule('job-1', NOW_MS);
      const task = await claimOne(NOW_MS);
      await opened.run(async (tx) => {
        await tx.tasks.fence(task.lease);
        await tx.tasks.complete(task.lease);
      });
      await expect(complete(task)).rejects.toThrow(LeaseLostError);
    });

    test('`keep` leaves the time of an existing task, `replace` sets it', async () => {
      await schedule('job-1', NOW_MS + 10);
      await schedule('job-1', NOW_MS + 5, 'keep');
      expect(await nextDueAtMs()).toBe(NOW_MS + 10);
      await schedule('job-1', NOW_MS + 20, 'replace');
      expect(await nextDueAtMs()).toBe(NOW_MS + 20);
    });

    test.each([
      { ifScheduled: 'keep', dueAtMs: NOW_MS },
      { ifScheduled: 'replace', dueAtMs: NOW_MS + 30 },
    ] as const)('scheduled again while in hand ($ifScheduled), it stays when completed', async (example) => {
      await schedule('job-1', NOW_MS);
      const task = await claimOne(NOW_MS);
      await schedule('job-1', NOW_MS + 30, example.ifScheduled);
      expect(await claim(NOW_MS + LEASE_MS - 1)).toEqual([]);
      await complete(task);
      expect(await nextDueAtMs()).toBe(example.dueAtMs);
      expect((await claimOne(example.dueAtMs)).attempts).toBe(0);
    });

    test('scheduled again while in hand, it can still be postponed', async () => {
      await schedule('job-1', NOW_MS);
      const task = await claimOne(NOW_MS);
      await schedule('job-1', NOW_MS);
      await postpone(task, NOW_MS + 50);
      expect(await nextDueAtMs()).toBe(NOW_MS + 50);
      await complete(await claimOne(NOW_MS + 50));
      expect(await nextDueAtMs()).toBe(Number.POSITIVE_INFINITY);
    });

    test('a success in between starts the count of attempts again', async () => {
      await schedule('job-1', NOW_MS);
      await postpone(await claimOne(NOW_MS), NOW_MS);
      const task = await claimOne(NOW_MS);
      expect(task.attempts).toBe(1);
      await schedule('job-1', NOW_MS);
      await complete(task);
      expect((await claimOne(NOW_MS)).attempts).toBe(0);
    });

    test('what the claimer has in hand is not claimed again: its lease begins again', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', NOW_MS + 1);
      const own = await claimOne(NOW_MS);
      const again = (atMs: number, limit: number) =>
        opened.run((tx) => {
          const lease = { leaseNowMs: atMs, leaseUntilMs: atMs + LEASE_MS, inFlight: [own.lease] };
          return tx.tasks.claim({ kinds: ['check_job'], nowMs: atMs, ...lease, limit });
        });
      const wokenAtMs = NOW_MS + 5 * LEASE_MS;
      expect(subjects(await again(wokenAtMs, 1))).toEqual(['job-2']);
      expect(subjects(await claim(wokenAtMs + LEASE_MS - 1))).toEqual([]);
      await complete(own);
    });

    test('what was in hand, and was taken over and freed, is claimed as any other', async () => {
      await schedule('job-1', NOW_MS);
      const old = await claimOne(NOW_MS);
      const taken = await claimOne(NOW_MS + LEASE_MS);
      await opened.run((tx) => tx.tasks.release([taken.lease]));
      const lease = { leaseNowMs: NOW_MS, leaseUntilMs: NOW_MS + LEASE_MS, inFlight: [old.lease] };
      const claimed = await opened.run((tx) =>
        tx.tasks.claim({ kinds: ['check_job'], nowMs: NOW_MS, ...lease, limit: 1 }),
      );
      expect(subjects(claimed)).toEqual(['job-1']);
    });

    test('the time of leases goes on', async () => {
      const read = () => opened.run((tx) => tx.tasks.leaseNowMs());
      const before = await read();
      expect(Number.isInteger(before)).toBe(true);
      expect(await read()).toBeGreaterThanOrEqual(before);
    });

    test('the next due time is that of the first task that nobody has in hand', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', NOW_MS + 5 * LEASE_MS);
      await claimOne(NOW_MS);
      expect(await nextDueAtMs()).toBe(NOW_MS + 5 * LEASE_MS);
      await schedule('job-3', NOW_MS + 1);
      expect(await nextDueAtMs()).toBe(NOW_MS + 1);
    });
  });
}
