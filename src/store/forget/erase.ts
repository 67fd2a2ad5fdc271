import { taskId } from '../queries/task.ts';
import { deleteJobs, taskIds } from '../retention.ts';
import type { Queries } from '../schema/tables.ts';
import { scrubEarlyReplies, scrubJobs } from './scrub.ts';
import { FORGOTTEN, jobsOf, type Subject } from './subject.ts';

/**
 * What the store holds, or held, of somebody: how many of each kind. `jobs`: with their replies and calls. `replies`:
 * in jobs of others. `calls`: of such jobs, which repeat the words of replies. `mentions`: other texts that name the
 * person or the channel.
 */
export interface Holdings {
  readonly jobs: number;
  readonly replies: number;
  readonly calls: number;
  readonly mentions: number;
  readonly early_replies: number;
  readonly homes: number;
  readonly settings: number;
}

/** Erases all of the subject's, and returns how much that was. Nothing of it may be under way. */
export async function erase(db: Queries, subject: Subject, nowMs: number): Promise<Holdings> {
  const jobs = await eraseJobs(db, subject, nowMs);
  const { replies, calls, mentions } = await scrubJobs(db, subject);
  const early = await earlyReplies(db, subject);
  const named = mentions + (await scrubEarlyReplies(db, subject));
  if (subject.kind === 'channel') await erasePastNotices(db, subject);
  return { jobs, replies, calls, mentions: named, early_replies: early, ...(await eraseTraces(db, subject)) };
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

async function erasePastNotices(db: Queries, { id, teamId }: Subject): Promise<void> {
  await db
    .deleteFrom('past_notice')
    .where('channel_id', '=', id)
    .$if(teamId !== null, (query) => query.where('team_id', '=', teamId ?? ''))
    .execute();
}

async function earlyReplies(db: Queries, { kind, id, teamId }: Subject): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('early_reply')
    .where(kind === 'user' ? 'user_id' : 'channel_id', '=', id)
    .$if(teamId !== null, (query) => query.where('team_id', '=', teamId ?? ''))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function eraseTraces(db: Queries, { kind, id, teamId }: Subject) {
  const inTeam = teamId === null ? '%' : teamId;
  const homes = await db
    .deleteFrom('home')
    .where('user_id', '=', id)
    .where('team_id', 'like', inTeam)
    .executeTakeFirst();
  await db
    .deleteFrom('task')
    .where('kind', '=', 'refresh_home')
    .where('subject', 'like', `${inTeam}:${id}`)
    .execute();
  return {
    homes: Number(homes.numDeletedRows),
    settings: await eraseSettings(db, { kind, id, teamId }),
  };
}

async function eraseSettings(db: Queries, { kind, id, teamId }: Subject): Promise<number> {
  const inTeam = teamId === null ? '%' : teamId;
  if (kind === 'channel') {
    const deleted = await db
      .deleteFrom('channel_setting')
      .where('channel_id', '=', id)
      .where('team_id', 'like', inTeam)
      .executeTakeFirst();
    const rows = await db
      .selectFrom('channel_setting')
      .select(['team_id', 'channel_id', 'data'])
      .where('data', 'like', `%${id}%`)
      .where('team_id', 'like', inTeam)
      .execute();
    for (const { data, ...row } of rows) {
      await db
        .updateTable('channel_setting')
        .set({ data: withoutNoticeChannel(data, id) })
        .where((eb) => eb.and(row))
        .execute();
    }
    return Number(deleted.numDeletedRows) + rows.length;
  }
  const installed = await db
    .updateTable('installation')
    .set({ installer_id: FORGOTTEN })
    .where('installer_id', '=', id)
    .where('id', 'like', inTeam)
    .executeTakeFirst();
  const changed = await db
    .updateTable('channel_setting')
    .set({ changed_by: FORGOTTEN })
    .where('changed_by', '=', id)
    .where('team_id', 'like', inTeam)
    .executeTakeFirst();
  return Number(changed.numUpdatedRows + installed.numUpdatedRows);
}

/** Another channel's settings may send notices to this one. */
function withoutNoticeChannel(data: string, channelId: string): string {
  return JSON.stringify(
    JSON.parse(data, (_key, value) =>
      Array.isArray(value) ? value.filter((item) => item !== channelId) : value,
    ),
  );
}
