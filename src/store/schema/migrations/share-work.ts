import { type Kysely, sql } from 'kysely';
import type { Queries } from '../tables.ts';

/** Tasks know their group, and the reads and calls of each project are given out by the store. */
export async function shareWork(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('task')
    .addColumn('group_key', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await groupTasks(db as Queries);
  await db.schema
    .createIndex('task_due_of_group')
    .on('task')
    .columns(['kind', 'group_key', 'run_at'])
    .execute();
  await db.schema
    .createTable('read_budget')
    .addColumn('project_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('whole_at', 'double precision', (column) => column.notNull())
    .execute();
  await queueForBudgets(db as Queries);
}

async function queueForBudgets(db: Queries): Promise<void> {
  await db.schema
    .createTable('budget_queue')
    .addColumn('job_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('budget_queue_key', ['job_id', 'kind'])
    .execute();
  await db.schema
    .createIndex('budget_queue_order')
    .on('budget_queue')
    .columns(['project_id', 'seq'])
    .execute();
  await sql`
    insert into budget_queue (job_id, kind, project_id, seq)
    select job_id, kind, project_id, min(seq) from call
    where kind in ('create_job', 'send_message') and state = 'wanted' group by job_id, kind, project_id`.execute(
    db,
  );
}

/** As newly scheduled tasks are; what was scheduled for a channel other than the job's has the job's. */
async function groupTasks(db: Queries): Promise<void> {
  await sql`
    update task set group_key = job.project_id || '/' from job
    where (task.kind in ('check_job', 'send_follow_ups') and job.id = task.subject)
      or (task.kind = 'call_agent' and task.subject = 'agent:' || job.id)`.execute(db);
  await sql`
    update task set group_key = job.team_id || '/' || job.channel_id || '/' from job
    where (task.kind in ('refresh_card', 'refresh_receipts', 'read_snippets', 'catch_up') and job.id = task.subject)
      or (task.kind = 'post_to_slack' and task.subject = 'thread:' || job.id)`.execute(db);
}
