import { createHash } from 'node:crypto';
import type { Queries } from '../schema/tables.ts';
import { preparedForMany, type Values } from './prepared.ts';

const rememberKeys = preparedForMany(
  (db, keys: readonly Values<{ key: string }>[], { nowMs }: Values<{ nowMs: number }>) =>
    db
      .insertInto('gesture')
      .values(keys.map(({ key }) => ({ key, at: nowMs })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('key'),
);

/** What people did in Slack, so that a second delivery of the same thing is recognised. */
export class InboundRequests {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /**
   * Remembers a request under all of its keys. False if any key is known already: the request was seen
   * before (then some of the keys may have been added), and nothing must follow from it.
   */
  async remember(keys: readonly string[], nowMs: number): Promise<boolean> {
    // Sorted, so that two deliveries at the same time wait for each other and do not deadlock.
    const distinct = [...new Set(keys.map(digested))].sort();
    if (distinct.length === 0) return true;
    const asItems = distinct.map((key) => ({ key }));
    const added = await rememberKeys.rows(this.db, asItems, { nowMs });
    return added.length === distinct.length;
  }

  /** Whether any of the keys is known. */
  async isKnown(keys: readonly string[]): Promise<boolean> {
    const row = await this.db
      .selectFrom('gesture')
      .select('key')
      .where('key', 'in', keys.map(digested))
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** Keys name channels and people, who may ask to be forgotten; a digest recognises the request as well. */
function digested(key: string): string {
  const kind = key.slice(0, key.indexOf(':') + 1);
  return kind + createHash('sha256').update(key).digest('base64url');
}
