import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Contender, takeTurns } from '../../bench/support/rounds.ts';

const note = () => {};

/** Contenders that write down when their turns begin and end; each turn measures the next number. */
function watched(names: readonly string[]): { contenders: Contender[]; seen: string[] } {
  const seen: string[] = [];
  let turns = 0;
  const contenders = names.map((name) => ({
    name,
    measure: async () => {
      seen.push(`${name} begins`);
      await nextTurn();
      seen.push(`${name} ends`);
      turns += 1;
      return { turn: turns };
    },
  }));
  return { contenders, seen };
}

test('contenders run one after the other, and each round begins with another', async () => {
  const { contenders, seen } = watched(['ours', 'A', 'B']);
  await takeTurns(contenders, { rounds: 3, warmUpRounds: 0, note });
  const order = ['ours', 'A', 'B', 'A', 'B', 'ours', 'B', 'ours', 'A'];
  expect(seen).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('the rounds that warm up do not count', async () => {
  const { contenders } = watched(['ours', 'A']);
  const rounds = await takeTurns(contenders, { rounds: 2, warmUpRounds: 1, note });
  expect(rounds.map((round) => [...round.values()].map(({ turn }) => turn))).toEqual([
    [3, 4],
    [5, 6],
  ]);
});
