import type { Kysely } from 'kysely';

/** Jobs are read as often as the budget allows, whatever turns took, and more slowly after a 429. */
export async function rateReads(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('turn_lengths').execute();
  for (const [column, type] of [
    ['slowed_at', 'bigint'],
    ['slowed_share', 'double precision'],
    ['slowed_until', 'bigint'],
  ] as const) {
    await db.schema.alterTable('read_budget').addColumn(column, type).execute();
  }
}
