import { expect, test } from 'vitest';
import { fairLimit } from '../../src/engine/claim-fairly.ts';

test('so many work at a time; the others follow in the order in which they came, also after a failure', async () => {
  const inTurn = fairLimit(2);
  const begun: number[] = [];
  const work = [0, 1, 2, 3].map(() => Promise.withResolvers<string>());
  const done = work.map(({ promise }, number) =>
    inTurn('', () => {
      begun.push(number);
      return promise;
    }),
  );
  expect(begun).toEqual([0, 1]);
  work[1]?.reject(new Error('the API is away'));
  await expect(done[1]).rejects.toThrow('the API is away');
  expect(begun).toEqual([0, 1, 2]);
  work[0]?.resolve('zero');
  expect(await done[0]).toBe('zero');
  expect(begun).toEqual([0, 1, 2, 3]);
  work[2]?.resolve('two');
  work[3]?.resolve('three');
  expect(await Promise.all([done[2], done[3]])).toEqual(['two', 'three']);
  expect(await inTurn('', async () => 'the last')).toBe('the last');
});

test('a group that does not come to an end leaves room for others, and its own wait for it', async () => {
  const inTurn = fairLimit(4);
  const begun: string[] = [];
  const hanging = Promise.withResolvers<void>();
  const use = (group: string, work: Promise<void>) =>
    inTurn(group, () => {
      begun.push(group);
      return work;
    });
  const slow = [1, 2, 3].map(() => use('slow/', hanging.promise));
  await use('docs/', Promise.resolve());
  await use('docs/', Promise.resolve());
  expect(begun).toEqual(['slow/', 'slow/', 'docs/', 'docs/']);
  hanging.resolve();
  await Promise.all(slow);
  expect(begun).toHaveLength(5);
});
