import { expect, test } from 'vitest';
import { checkBatches } from '../../src/agent/check-job.ts';
import { aDecision, aJob, NOW_MS } from '../contract/store/samples.ts';
import { onSqlite } from '../engine/support/test-store.ts';
import { createTestClock } from '../support/test-clock.ts';

test('a job that cannot be read keeps no other from its check', async () => {
  const { store, sql } = await onSqlite();
  const ids = ['job-1', 'job-2'];
  for (const [index, id] of ids.entries()) {
    const job = aJob({ id, threadTs: `${index}.000100` });
    await store.transaction((tx) => tx.write(aDecision({ job }), NOW_MS));
  }
  sql(`update job set data = '{' where id = 'job-1'`);
  const batches = checkBatches(store, createTestClock(NOW_MS));
  const [first, second] = await Promise.allSettled(ids.map((id) => batches.jobs.load(id)));
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(SyntaxError) });
  expect(second).toMatchObject({ status: 'fulfilled', value: { job: { id: 'job-2' } } });
});
