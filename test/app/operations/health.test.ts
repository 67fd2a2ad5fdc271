import { expect, test } from 'vitest';
import { readiness, shareInFlight } from '../../../src/app/operations/health.ts';

test('a program that has not begun its work, or has ended it, is not ready', async () => {
  expect(await readiness([])).toEqual({ ok: false, checks: {} });
});

test('every problem is reported, and a check that throws is one', async () => {
  const checks = [
    { name: 'store', problem: () => Promise.reject(new Error('the disk is gone')) },
    { name: 'slack', problem: () => null },
    { name: 'work', problem: () => 'the send loop has ended' },
  ];
  expect(await readiness(checks)).toEqual({
    ok: false,
    checks: { store: 'the disk is gone', slack: 'ok', work: 'the send loop has ended' },
  });
});

test('a check made while the store has not answered yet adds no look at it, and the next one asks again', async () => {
  const looks: PromiseWithResolvers<string | null>[] = [];
  const problem = shareInFlight(() => {
    const look = Promise.withResolvers<string | null>();
    looks.push(look);
    return look.promise;
  });
  const ask = () => readiness([{ name: 'store', problem }]);
  const answers = [ask(), ask(), ask()];
  expect(looks).toHaveLength(1);
  looks[0]?.resolve(null);
  expect((await Promise.all(answers)).map(({ ok }) => ok)).toEqual([true, true, true]);
  const later = ask();
  expect(looks).toHaveLength(2);
  looks[1]?.reject(new Error('the disk is gone'));
  expect((await later).checks).toEqual({ store: 'the disk is gone' });
});
