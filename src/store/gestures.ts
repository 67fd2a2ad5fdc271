import type { Gestures } from './store.ts';
import type { Queries } from './tables.ts';

export class SqlGestures implements Gestures {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async remember(keys: readonly string[], nowMs: number): Promise<boolean> {
    // Sorted, so that two deliveries at the same time wait for each other and do not deadlock.
    const distinct = [...new Set(keys)].sort();
    if (distinct.length === 0) return true;
    const added = await this.db
      .insertInto('gesture')
      .values(distinct.map((key) => ({ key, at: nowMs })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .execute();
    return added.length === distinct.length;
  }

  async isKnown(keys: readonly string[]): Promise<boolean> {
    const row = await this.db.selectFrom('gesture').select('key').where('key', 'in', keys).executeTakeFirst();
    return row !== undefined;
  }
}
