import { expect, test } from 'vitest';
import { growingIds } from '../../../src/app/service.ts';
import { Reports } from '../../../src/features/reports/queries.ts';
import { refusalRecorder } from '../../../src/slack/inbound/once.ts';
import type { Store } from '../../../src/store/store.ts';
import { contextAt, silentLog } from '../../engine/support/context.ts';
import { onSqlite } from '../../engine/support/test-store.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

/** As a database whose first transaction is overtaken by the second. */
function overtaken(store: Store): Store {
  const second = Promise.withResolvers<void>();
  let count = 0;
  const transaction: Store['transaction'] = async (work) => {
    count += 1;
    if (count === 1) await second.promise;
    try {
      return await store.transaction(work);
    } finally {
      second.resolve();
    }
  };
  return { ...store, transaction };
}

test('an audit tells of refusals of the same moment in their order, whichever is stored first (L4)', async () => {
  const { store } = await onSqlite();
  const newId = growingIds();
  const record = refusalRecorder({
    store: overtaken(store),
    log: silentLog,
    newContext: () => ({ ...contextAt(NOW_MS), newId }),
  });
  const refused = { kind: 'command', teamId: 'T1', userId: 'U1' } as const;
  await Promise.all([
    record({ ...refused, key: 'first', reason: 'unknown_project' }),
    record({ ...refused, key: 'second', reason: 'no_administrator' }),
  ]);
  const period = { sinceMs: NOW_MS, untilMs: NOW_MS + 1 };
  const rows = await store.transaction((tx) => tx.queries(Reports).recorded(period));
  expect(rows.map(({ outcome }) => outcome)).toEqual(['unknown_project', 'no_administrator']);
});
