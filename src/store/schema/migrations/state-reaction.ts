import { type Kysely, sql } from 'kysely';

/** What the message that asked for a job shows, which is no fact of the job. */
export async function addStateReaction(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('job').addColumn('reaction_shown', 'text').execute();
  await db.schema
    .alterTable('job')
    .addColumn('reactions_tried', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

/** That message shows nothing any more: the card says it. */
export async function dropStateReaction(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('job').dropColumn('reaction_shown').execute();
  await db.schema.alterTable('job').dropColumn('reactions_tried').execute();
  await sql`delete from task where kind = 'refresh_reaction'`.execute(db);
}
