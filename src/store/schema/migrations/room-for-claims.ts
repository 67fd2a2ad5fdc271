import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../engines/database.ts';

/**
 * Each check changes its task twice on Postgres, which writes another version of the row each time. With room in the same
 * page, the version of a claim needs no entries in the indexes. The versions that are no more needed are cleaned up when
 * there are some thousands of them, however many tasks there are, and without pauses: the table is small.
 */
export async function leaveRoomForClaims(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`
    alter table task set (
      fillfactor = 50,
      autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 5000,
      autovacuum_vacuum_cost_delay = 0
    )`.execute(db);
}
