import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../../src/store/errors.ts';
import { LeaseLostError } from '../../../../src/store/store.ts';
import { postLanes } from '../../../engine/support/post-lanes.ts';
import { onPostgres, onSqlite, type TestStore } from '../../../engine/support/test-store.ts';
import { testServerUrl } from '../../../support/postgres.ts';

const UNREADABLE = `update job set data = '{' where id = 'job-2'`;
const reasonOf = (result: PromiseSettledResult<unknown> | undefined) =>
  result?.status === 'rejected' ? result.reason : null;
const nextOf = (result: PromiseSettledResult<unknown> | undefined) =>
  result?.status === 'fulfilled' ? result.value : 'failed';

function suite(name: string, open: () => Promise<TestStore>): void {
  describe(`posts of several threads that are written together, on ${name}`, () => {
    /** Three threads with a post each, `a1` in that of job 1, and all in hand. */
    const threeThreads = async () => {
      const lanes = postLanes(await open());
      for (const number of [1, 2, 3]) await lanes.want(`a${number}`, number);
      return { lanes, tasks: await lanes.claim() };
    };
    /** As that, and all posts are under way. */
    const underWay = async () => {
      const { lanes, tasks } = await threeThreads();
      await Promise.all([1, 2, 3].map((number) => lanes.start(tasks.get(number), `a${number}`)));
      return { lanes, tasks };
    };

    test('a job that cannot be read keeps no other thread from its posts', async () => {
      const { lanes, tasks } = await threeThreads();
      await lanes.sql(UNREADABLE);
      const nexts = await Promise.allSettled([1, 2, 3].map((number) => lanes.next(tasks.get(number))));
      expect(nexts.map(nextOf)).toEqual(['a1', 'failed', 'a3']);
      expect(reasonOf(nexts[1])).toBeInstanceOf(SyntaxError);
    });

    test('a job that cannot be read keeps no other outcome from being written', async () => {
      const { lanes, tasks } = await underWay();
      for (const number of [1, 2, 3]) await lanes.want(`b${number}`, number);
      await lanes.sql(UNREADABLE);
      const ends = [1, 2, 3].map((number) => lanes.end(tasks.get(number), `a${number}`));
      expect((await Promise.allSettled(ends)).map(nextOf)).toEqual(['b1', 'failed', 'b3']);
      expect(await lanes.stateOf('a1')).toBe('failed');
      expect(await lanes.stateOf('a2')).toBe('started');
    });

    test('who lost a thread starts nothing in it; the other posts are started', async () => {
      const { lanes, tasks } = await threeThreads();
      await lanes.runOut(tasks.get(2));
      await lanes.store.transaction(lanes.takeOver);
      const starts = await Promise.allSettled(
        [1, 2, 3].map((number) => lanes.start(tasks.get(number), `a${number}`)),
      );
      expect(reasonOf(starts[1])).toBeInstanceOf(LeaseLostError);
      expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const states = await Promise.all(['a1', 'a2', 'a3'].map(lanes.stateOf));
      expect(states).toEqual(['started', 'wanted', 'started']);
    });

    test('who lost a thread writes no outcome in it; the others are written', async () => {
      const { lanes, tasks } = await underWay();
      await lanes.runOut(tasks.get(2));
      await lanes.store.transaction(lanes.takeOver);
      const ends = [1, 2, 3].map((number) => lanes.end(tasks.get(number), `a${number}`));
      expect(reasonOf((await Promise.allSettled(ends))[1])).toBeInstanceOf(LeaseLostError);
      const states = await Promise.all(['a1', 'a2', 'a3'].map(lanes.stateOf));
      expect(states).toEqual(['failed', 'started', 'failed']);
    });

    test('a post that is not wanted any more is not started; the others are', async () => {
      const { lanes, tasks } = await threeThreads();
      await lanes.start(tasks.get(2), 'a2');
      const starts = await Promise.allSettled(
        [1, 2, 3].map((number) => lanes.start(tasks.get(number), `a${number}`)),
      );
      expect(reasonOf(starts[1])).toMatchObject({ message: expect.stringContaining('it is not wanted') });
      expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    test('a thread that is to be looked at again when its last post is done keeps its task', async () => {
      const { lanes, tasks } = await underWay();
      const again = {
        kind: 'post_to_slack',
        subject: 'thread:job-2',
        runAtMs: 0,
        ifScheduled: 'keep',
      } as const;
      await lanes.store.transaction((tx) => tx.tasks.schedule(again));
      const ends = [1, 2, 3].map((number) => lanes.end(tasks.get(number), `a${number}`));
      expect(await Promise.all(ends)).toEqual([null, null, null]);
      const claimed = await lanes.claim();
      expect([...claimed.keys()]).toEqual([2]);
      expect(await lanes.next(claimed.get(2))).toBeNull();
      await lanes.runOut(claimed.get(2));
      expect(await lanes.claim()).toEqual(new Map());
    });

    test('a store that fails once starts nothing, and all can be started after that', async () => {
      const { lanes, tasks } = await threeThreads();
      const fault = lanes.breakStore(new StoreError('the store cannot be used'));
      const starts = () =>
        Promise.allSettled([1, 2, 3].map((number) => lanes.start(tasks.get(number), `a${number}`)));
      expect((await starts()).map(reasonOf)).toEqual(Array(3).fill(expect.any(StoreError)));
      expect(await lanes.stateOf('a1')).toBe('wanted');
      expect(fault.attempts).toBe(1);
      fault.mend();
      expect((await starts()).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    });
  });
}

suite('SQLite', onSqlite);

test('a thread whose job was deleted by hand does not end in silence', async () => {
  const lanes = postLanes(await onSqlite());
  for (const number of [1, 2]) await lanes.want(`a${number}`, number);
  const tasks = await lanes.claim();
  await lanes.sql(`pragma foreign_keys = off; delete from job where id = 'job-2'`);
  const nexts = await Promise.allSettled([1, 2].map((number) => lanes.next(tasks.get(number))));
  expect(nexts.map(nextOf)).toEqual(['a1', 'failed']);
  expect(reasonOf(nexts[1])).toMatchObject({ message: 'Call a2 has no job' });
});

if (testServerUrl === undefined) {
  describe.skip('posts of several threads that are written together, on Postgres (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('a job that cannot be read keeps no other thread from its posts', () => {});
  });
} else {
  suite('Postgres', () => onPostgres(testServerUrl as string));
}
