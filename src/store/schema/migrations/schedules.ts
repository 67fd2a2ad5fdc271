import { type Kysely, sql } from 'kysely';

export interface ScheduleTable {
  team_id: string;
  name: string;
  /** As it was when `served_until` was written; null: it has left the settings. */
  schedule: string | null;
  served_until: number;
}

/** Schedules leave the table of recipes, since digests have them, too. */
export async function separateSchedules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedule')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('schedule', 'text')
    .addColumn('served_until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('schedule_key', ['team_id', 'name'])
    .execute();
  await sql`
    insert into schedule (team_id, name, schedule, served_until)
    select team_id, name, schedule, served_until from recipe where schedule is not null`.execute(db);
  await sql`delete from recipe where name = '(digest)'`.execute(db);
  await db.schema.alterTable('recipe').dropColumn('schedule').execute();
  await db.schema.alterTable('recipe').dropColumn('served_until').execute();
  // Its subject says the name, too, from now on; the start plans it.
  await sql`delete from task where kind = 'post_digest'`.execute(db);
}
