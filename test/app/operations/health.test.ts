import { expect, test } from 'vitest';
import { readiness, shareInFlight } from '../../../src/app/operations/health.ts';

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
