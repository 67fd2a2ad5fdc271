import { expect, test } from 'vitest';
import { features } from '../../../src/app/features.ts';
import { createLoops } from '../../../src/app/service/loops.ts';
import { taskKinds } from '../../../src/jobs/task-kinds.ts';
import { createLoopsWorld } from '../../engine/support/loops-world.ts';
import { emptyPlaces } from '../../support/databases.ts';

const [makeEmpty] = emptyPlaces;
if (makeEmpty === undefined) throw new Error('SQLite is always there');

test('every kind of task is the work of one loop', async () => {
  const world = await createLoopsWorld({
    place: await makeEmpty(),
    replicas: 1,
    outside: () => ({ agent: {} }),
  });
  const claimed = world.tools.flatMap((tools) =>
    createLoops(
      tools,
      40_000,
      features.flatMap(({ run }) => run?.(tools) ?? []),
    )
      .states()
      .flatMap(({ tasks }) => tasks),
  );
  expect(claimed.toSorted()).toEqual(taskKinds.toSorted());
});
