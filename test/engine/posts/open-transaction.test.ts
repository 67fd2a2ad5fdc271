import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Transaction } from '../../../src/store/store.ts';
import { testServerUrl } from '../../support/postgres.ts';
import { type PostLanes, postLanes } from '../support/post-lanes.ts';
import { onPostgres } from '../support/test-store.ts';

const name = 'posts of two threads that are written together, while another replica has a transaction open';
if (testServerUrl === undefined) {
  describe.skip(`${name} (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)`, () => {
    test('a thread that it takes over does not keep the other from its post', () => {});
  });
} else {
  openTransactions(testServerUrl);
}

function openTransactions(serverUrl: string): void {
  describe(name, () => {
    /** Two threads with a post each, `a1` in that of job 1, and both in hand. */
    const twoThreads = async () => {
      const lanes = postLanes(await onPostgres(serverUrl));
      for (const number of [1, 2]) await lanes.want(`a${number}`, number);
      return { lanes, tasks: await lanes.claim() };
    };
    const underWay = async () => {
      const { lanes, tasks } = await twoThreads();
      await Promise.all([1, 2].map((number) => lanes.start(tasks.get(number), `a${number}`)));
      return { lanes, tasks };
    };
    /**
     * Another replica does something, and has not committed it until the posts of both threads are asked for, and that
     * of thread 2 has its answer. Returns both answers.
     */
    const whileOpen = async <T>(
      lanes: PostLanes,
      deed: (tx: Transaction) => Promise<unknown>,
      post: (number: number) => Promise<T>,
    ) => {
      const replica = await lanes.another();
      const answers = await replica.transaction(async (tx) => {
        await deed(tx);
        const first = post(1).catch((error: unknown) => error);
        return { first, second: await post(2) };
      });
      return [await answers.first, answers.second];
    };

    test('a thread that it takes over does not keep the other from the start of its post', async () => {
      const { lanes, tasks } = await twoThreads();
      await lanes.runOut(tasks.get(1));
      const [first, second] = await whileOpen(lanes, lanes.takeOver, (number) =>
        lanes.start(tasks.get(number), `a${number}`),
      );
      expect(second).toEqual(expect.any(Number));
      expect(first).toBeInstanceOf(LeaseLostError);
      expect(await lanes.stateOf('a1')).toBe('wanted');
    });

    test('a thread that it takes over does not keep the other from the outcome of its post', async () => {
      const { lanes, tasks } = await underWay();
      await lanes.runOut(tasks.get(1));
      const [first, second] = await whileOpen(lanes, lanes.takeOver, (number) =>
        lanes.end(tasks.get(number), `a${number}`),
      );
      expect(second).toBeNull();
      expect(first).toBeInstanceOf(LeaseLostError);
      expect(await lanes.stateOf('a1')).toBe('started');
    });

    test('a post that it has locked is started after it, and the other at once', async () => {
      const { lanes, tasks } = await twoThreads();
      const answers = await whileOpen(
        lanes,
        (tx) => tx.calls.settle('a1', { state: 'retry', detail: null }, 0),
        (number) => lanes.start(tasks.get(number), `a${number}`),
      );
      expect(answers).toEqual([expect.any(Number), expect.any(Number)]);
      expect(await lanes.stateOf('a1')).toBe('started');
    });

    test('a post that it has locked gets its outcome after it, and the other at once', async () => {
      const { lanes, tasks } = await underWay();
      const answers = await whileOpen(
        lanes,
        (tx) => tx.calls.hold('a1', 0),
        (number) => lanes.end(tasks.get(number), `a${number}`),
      );
      expect(answers).toEqual([null, null]);
      expect(await lanes.stateOf('a1')).toBe('failed');
    });

    test('a post that it is about to want, when the thread was at its end, is made', async () => {
      const { lanes, tasks } = await underWay();
      const answers = await whileOpen(
        lanes,
        (tx) => lanes.wantIn(tx, 'b1', 1),
        (number) => lanes.end(tasks.get(number), `a${number}`),
      );
      expect(answers).toEqual([null, null]);
      const claimed = await lanes.claim();
      expect([...claimed.keys()]).toEqual([1]);
      expect(await lanes.next(claimed.get(1))).toBe('b1');
    });
  });
}
