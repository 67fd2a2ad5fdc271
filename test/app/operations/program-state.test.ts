import { expect, onTestFinished, test } from 'vitest';
import { stateReader } from '../../../src/app/operations/program-state.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openStore } from '../../../src/store/open.ts';
import { createTempDir } from '../../support/temp-dir.ts';

test('scrapes at the same time share one look at the store; a later one looks again', async () => {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  let transactions = 0;
  const count = () => {
    transactions += 1;
  };
  const store = await openStore({ dataDir: folder.path }, undefined, count);
  onTestFinished(() => store.close());
  const read = stateReader({
    store,
    clock: systemClock,
    projects: [{ id: 'docs', name: 'docs', noticeChannels: [] }],
    hourlyBudget: 100,
    loops: () => [],
    slackProblem: () => null,
    readDataDir: () => null,
  });
  const [one, other] = await Promise.all([read(), read()]);
  expect(one.store?.openJobs.get('creating')).toBe(0);
  expect(other.store).toBe(one.store);
  const ofOneLook = transactions;
  await read();
  expect(transactions).toBe(2 * ofOneLook);
});
