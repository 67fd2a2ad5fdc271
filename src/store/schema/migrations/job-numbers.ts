import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../engines/database.ts';

/**
 * Jobs get a short number, for people: each workspace counts its own. The database numbers a job as it is inserted, so
 * no request makes another round trip for it; only requests of the same workspace wait for each other's commit.
 */
export async function numberJobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('job_count')
    .addColumn('team_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last_number', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('job').addColumn('number', 'integer').execute();
  await sql`
    update job set number = aged.number from (
      select id, row_number() over (partition by team_id order by requested_at, id) as number from job
    ) as aged where aged.id = job.id`.execute(db);
  await sql`
    insert into job_count (team_id, last_number)
    select team_id, max(number) from job group by team_id`.execute(db);
  // The workspace first would draw queries by workspace, which have better indexes.
  await db.schema.createIndex('job_number').on('job').columns(['number', 'team_id']).unique().execute();
  for (const statement of engine === 'sqlite' ? [ON_SQLITE] : ON_POSTGRES)
    await sql.raw(statement).execute(db);
}

/** The writing of a job that has its number fires none of these. */
const ON_SQLITE = `
  create trigger job_numbered after insert on job when new.number is null begin
    insert into job_count (team_id, last_number) values (new.team_id, 1)
      on conflict (team_id) do update set last_number = last_number + 1;
    update job set number = (select last_number from job_count where team_id = new.team_id) where id = new.id;
  end`;

const ON_POSTGRES = [
  `create function number_job() returns trigger language plpgsql as $$ begin
    insert into job_count as known (team_id, last_number) values (new.team_id, 1)
      on conflict (team_id) do update set last_number = known.last_number + 1
      returning last_number into new.number;
    return new;
  end $$`,
  `create trigger job_numbered before insert on job for each row when (new.number is null)
    execute function number_job()`,
];

/** Only what was started has a number: a question or a draft that comes to nothing uses none up. */
export async function numberStartedJobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of engine === 'sqlite' ? STARTED_ON_SQLITE : STARTED_ON_POSTGRES)
    await sql.raw(statement).execute(db);
}

const IS_UNNUMBERED = `new.number is null and new.stage not in ('awaiting_confirmation', 'draft', 'dropped')`;

const numberOnSqlite = (name: string, change: string) => `
  create trigger ${name} after ${change} on job when ${IS_UNNUMBERED} begin
    insert into job_count (team_id, last_number) values (new.team_id, 1)
      on conflict (team_id) do update set last_number = last_number + 1;
    update job set number = (select last_number from job_count where team_id = new.team_id) where id = new.id;
  end`;

const STARTED_ON_SQLITE = [
  'drop trigger job_numbered',
  numberOnSqlite('job_numbered', 'insert'),
  numberOnSqlite('job_numbered_later', 'update of stage'),
];

const STARTED_ON_POSTGRES = [
  'drop trigger job_numbered on job',
  `create trigger job_numbered before insert or update of stage on job for each row when (${IS_UNNUMBERED})
    execute function number_job()`,
];
