import type { Kysely } from 'kysely';

/** What code hosts say of the pull requests of jobs. */
export async function addPullRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pull_request')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('watched_from', 'bigint', (column) => column.notNull())
    .addColumn('looked_at', 'bigint')
    .addColumn('changed_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('misses', 'integer', (column) => column.notNull())
    .addColumn('facts', 'text')
    .addColumn('memory', 'text')
    .addPrimaryKeyConstraint('pull_request_key', ['team_id', 'key'])
    .execute();
  await db.schema
    .createTable('job_pull_request')
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('is_old', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('job_pull_request_key', ['job_id', 'key'])
    // Refused while a job has it: one that gets it just then is not left without.
    .addForeignKeyConstraint('job_pull_request_of', ['team_id', 'key'], 'pull_request', ['team_id', 'key'])
    .execute();
  await db.schema
    .createIndex('job_pull_request_jobs')
    .on('job_pull_request')
    .columns(['team_id', 'key', 'job_id'])
    .execute();
}
