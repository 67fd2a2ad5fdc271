import { expect, test } from 'vitest';
import { openDatabase, openStore, type StoreLocation } from '../../src/store/open.ts';
import type { Queries } from '../../src/store/schema/tables.ts';
import { aCall, aCreateCall, aDecision, aFollowUp, aJob, NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';

const CHILDREN = ['followUp', 'call', 'budgetQueue', 'catchUp', 'task'] as const;

describeOnDatabases('what belongs to a job', (make) => {
  async function use(run: (location: StoreLocation) => Promise<void>): Promise<void> {
    const { location, remove } = await make();
    await run(location).finally(remove);
  }
  async function ask<T>(location: StoreLocation, query: (db: Queries) => Promise<T>): Promise<T> {
    const { database } = await openDatabase(location);
    return query(database.queries).finally(() => database.close());
  }
  /** Of each table, how many rows there are. */
  const count = (location: StoreLocation) =>
    ask(location, async (db) => {
      const counts = [];
      for (const table of CHILDREN) counts.push((await db.selectFrom(table).selectAll().execute()).length);
      return counts;
    });

  test('is deleted with it, and what belongs to nobody stays', () =>
    use(async (location) => {
      const store = await openStore(location);
      for (const id of ['job-1', 'job-2']) {
        const job = aJob({ id, threadTs: `${id.slice(-1)}.1` });
        const calls = [
          aCreateCall(`create-${id}`, { lane: { to: 'agent', name: `agent:${id}` } }),
          aCall(`card-${id}`, { lane: { to: 'slack', name: `thread:${id}` } }),
          aCall(`notice-${id}`, { lane: { to: 'slack', name: `notice:${id}:C9` } }),
        ];
        const followUps = [aFollowUp({ id: `reply-${id}`, jobId: id })];
        const decision = aDecision({ job, calls, followUps, mayHaveReplies: true });
        await store.transaction((tx) => tx.write(decision, NOW_MS));
        await store.transaction((tx) =>
          tx.tasks.schedule({ kind: 'refresh_card', subject: id, runAtMs: NOW_MS, ifScheduled: 'keep' }),
        );
      }
      await store.transaction((tx) => tx.homes.opened('T1', 'U1', NOW_MS));
      await store.close();
      // Both have a task for each of three lanes and one for the card; the home and the workspace have one each.
      expect(await count(location)).toEqual([2, 6, 2, 2, 10]);
      await ask(location, (db) => db.deleteFrom('job').where('id', '=', 'job-1').execute());
      expect(await count(location)).toEqual([1, 3, 1, 1, 6]);
    }));
});
