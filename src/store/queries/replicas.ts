import type { Queries, Replica } from '../schema/tables.ts';
import { Table } from './table.ts';

/** A replica reports every minute; without a report for this long, it is gone. */
const GONE_AFTER_MS = 150_000;

/** The processes that share the store, and their connections to Slack. */
export class Replicas extends Table {
  async report(replica: Replica, nowMs: number): Promise<number> {
    const { id, ...connections } = replica;
    await this.upsert('replica', { id }, { ...connections, seenAt: nowMs });
    const rows = await seen(this.db, nowMs).select('connections').execute();
    return rows.reduce((sum, row) => sum + row.connections, 0);
  }

  async leave(id: string, nowMs: number): Promise<void> {
    await this.db
      .deleteFrom('replica')
      .where((eb) => eb.or([eb('id', '=', id), eb('seenAt', '<', nowMs - GONE_AFTER_MS)]))
      .execute();
  }
}

/** How many connections of others the replicas have recently seen. */
export async function otherConnectionsSeen(db: Queries, nowMs: number): Promise<number> {
  const rows = await seen(db, nowMs).select('otherConnections').execute();
  return Math.max(0, ...rows.map((row) => row.otherConnections));
}

/** A clock that was set back must not keep one for ever. */
function seen(db: Queries, nowMs: number) {
  return db
    .selectFrom('replica')
    .where('seenAt', '>', nowMs - GONE_AFTER_MS)
    .where('seenAt', '<', nowMs + GONE_AFTER_MS);
}
