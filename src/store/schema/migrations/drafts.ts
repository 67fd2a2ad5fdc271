import { type Kysely, sql } from 'kysely';

/** Drafts that were dropped are over, so the retention job looks for them, too. */
export async function retainDroppedDrafts(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('job_over').execute();
  await db.schema
    .createIndex('job_over')
    .on('job')
    .columns(['requested_at', 'id'])
    .where(sql`(stage || '')`, 'in', ['awaiting_confirmation', 'dropped', 'card_failed', 'rejected', 'ended'])
    .execute();
}
