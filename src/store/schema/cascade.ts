import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engines/database.ts';

const CHILDREN = ['follow_up', 'call', 'budget_queue', 'catch_up'] as const;
const OF_A_JOB = sql`references job (id) on delete cascade`;

/** Whatever belongs to a job is deleted with it; tasks reference their job. */
export async function cascade(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const table of CHILDREN) {
    // Without a foreign key so far, rows of these two may have outlived their job.
    if (table === 'budget_queue' || table === 'catch_up') {
      await sql`
        delete from ${sql.table(table)} where not exists (
          select 1 from job where job.id = ${sql.ref(`${table}.job_id`)}
        )`.execute(db);
    }
    await (engine === 'sqlite' ? rebuild(db, table) : replaceForeignKey(db, table));
  }
  await sql`alter table task add column job_id text ${OF_A_JOB}`.execute(db);
  // A lane is named by its purpose and its job (`thread:<job>`, `notice:<job>:<channel>`); ids of jobs have 36
  // characters.
  await sql`
    update task set job_id = job.id from job
    where task.kind not in ('refresh_home', 'catch_up') and job.id = case
      when task.kind not in ('call_agent', 'post_to_slack') then task.subject
      when task.subject like 'agent:%' then substr(task.subject, 7)
      when task.subject like 'requester:%' or task.subject like 'ephemeral:%' then substr(task.subject, 11)
      else substr(task.subject, 8, 36)
    end`.execute(db);
  await db.schema.createIndex('task_of_job').on('task').column('job_id').execute();
  // No query uses it any more, and every claim had to update it.
  await db.schema.dropIndex('task_leased').execute();
}

async function replaceForeignKey(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.ref(`${table}_job_id_fkey`);
  await sql`
    alter table ${sql.table(table)} drop constraint if exists ${name},
    add constraint ${name} foreign key (job_id) ${OF_A_JOB}`.execute(db);
}

/**
 * SQLite cannot change a constraint. So a new table is created from the old one's own statement, and takes over rows,
 * name and indexes (https://sqlite.org/lang_altertable.html#otheralter). No other table references it.
 */
async function rebuild(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where tbl_name = ${table} and sql is not null order by type desc`.execute(
    db,
  );
  const [create = '', ...indexes] = rows.map((row) => row.sql);
  const withCascade = create
    .replace(`"${table}"`, `"new_${table}"`)
    .replace(' references "job" ("id")', '')
    .replace(/"job_id" text( primary key| not null)*/, '$& references "job" ("id") on delete cascade');
  await sql.raw(withCascade).execute(db);
  await sql`insert into ${sql.table(`new_${table}`)} select * from ${sql.table(table)}`.execute(db);
  await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`alter table ${sql.table(`new_${table}`)} rename to ${sql.table(table)}`.execute(db);
  for (const index of indexes) await sql.raw(index).execute(db);
}
