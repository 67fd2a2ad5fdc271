import type { Kysely } from 'kysely';

/** What the message that asked for a job shows, which is no fact of the job. */
export async function addStateReaction(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('job').addColumn('reaction_shown', 'text').execute();
  await db.schema
    .alterTable('job')
    .addColumn('reactions_tried', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
