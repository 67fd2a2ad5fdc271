import type { Kysely } from 'kysely';

/** What has become of the recipes of the settings, and what their webhooks were answered. */
export async function addRecipes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recipe')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('schedule', 'text')
    .addColumn('served_until', 'bigint', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.references('job.id').onDelete('set null'))
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('has_failed', 'integer', (column) => column.notNull())
    .addColumn('paused_at', 'bigint')
    .addPrimaryKeyConstraint('recipe_key', ['team_id', 'name'])
    .execute();
  await db.schema.createIndex('recipe_job').on('recipe').column('job_id').execute();
}
