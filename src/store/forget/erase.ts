import { sql } from 'kysely';
import { taskId } from '../queries/tasks/task.ts';
import { deleteJobs, taskIds } from '../retention.ts';
import type { Queries } from '../schema/tables.ts';
import { type Holdings, idColumns } from './personal-columns.ts';
import { eraseNames, scrubJobs } from './scrub.ts';
import { FORGOTTEN, jobsOf, type Subject } from './subject.ts';

/** Erases all of the subject's, and returns how much that was. Nothing of it may be under way. */
export async function erase(db: Queries, subject: Subject, nowMs: number): Promise<Holdings> {
  const jobs = await eraseJobs(db, subject, nowMs);
  const { replies, calls, mentions } = await scrubJobs(db, subject);
  const counts = { early_replies: 0, homes: 0, settings: 0, jobs, replies, calls, mentions };
  for (const column of idColumns.filter(({ holds }) => holds === subject.kind)) {
    const erased = await eraseIds(db, column, subject);
    if (column.countedAs !== null) counts[column.countedAs] += erased;
  }
  counts.mentions += await eraseNames(db, 'early_reply', subject, inTeam(subject, 'team_id'));
  if (subject.kind === 'user') await eraseHomeTasks(db, subject);
  else counts.settings += await eraseNoticeChannels(db, subject);
  return counts;
}

/** Returns in how many rows the id was. */
async function eraseIds(
  db: Queries,
  { table, column, erase: how, teamColumn }: (typeof idColumns)[number],
  subject: Subject,
): Promise<number> {
  const [from, id] = [sql.table(table), sql.ref(column)];
  const change = how === 'row' ? sql`delete from ${from}` : sql`update ${from} set ${id} = ${FORGOTTEN}`;
  const { numAffectedRows } = await sql`
    ${change} where ${id} = ${subject.id} and ${inTeam(subject, teamColumn)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

function inTeam({ teamId }: Subject, column: string) {
  return teamId === null ? sql<boolean>`1 = 1` : sql<boolean>`${sql.ref(column)} = ${teamId}`;
}

async function eraseJobs(db: Queries, subject: Subject, nowMs: number): Promise<number> {
  const jobs = await jobsOf(db, subject).execute();
  const ids = jobs.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const lanes = await db.selectFrom('call').select('lane').distinct().where('job_id', 'in', ids).execute();
  const laneTasks = lanes.flatMap(({ lane }) => [taskId('call_agent', lane), taskId('post_to_slack', lane)]);
  await db
    .deleteFrom('task')
    .where('id', 'in', [...taskIds(ids), ...laneTasks])
    .execute();
  await deleteJobs(db, ids, nowMs);
  // A channel's own threads would name it, and a direct message belongs to one person.
  await db
    .deleteFrom('past_thread')
    .where(
      'channel_id',
      'in',
      subject.kind === 'channel'
        ? [subject.id]
        : jobs.map(({ channel_id }) => channel_id).filter((id) => id.startsWith('D')),
    )
    .$if(subject.teamId !== null, (query) => query.where('team_id', '=', subject.teamId ?? ''))
    .execute();
  return ids.length;
}

async function eraseHomeTasks(db: Queries, { id, teamId }: Subject): Promise<void> {
  await db
    .deleteFrom('task')
    .where('kind', '=', 'refresh_home')
    .where('subject', 'like', `${teamId ?? '%'}:${id}`)
    .execute();
}

/** Another channel's settings may send notices to this one. Returns how many do. */
async function eraseNoticeChannels(db: Queries, subject: Subject): Promise<number> {
  const rows = await db
    .selectFrom('channel_setting')
    .select(['team_id', 'channel_id', 'data'])
    .where('data', 'like', `%${subject.id}%`)
    .where(inTeam(subject, 'team_id'))
    .execute();
  for (const { data, ...row } of rows) {
    await db
      .updateTable('channel_setting')
      .set({ data: withoutNoticeChannel(data, subject.id) })
      .where((eb) => eb.and(row))
      .execute();
  }
  return rows.length;
}

function withoutNoticeChannel(data: string, channelId: string): string {
  return JSON.stringify(
    JSON.parse(data, (_key, value) =>
      Array.isArray(value) ? value.filter((item) => item !== channelId) : value,
    ),
  );
}
