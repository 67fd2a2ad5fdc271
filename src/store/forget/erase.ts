import { type RawBuilder, sql } from 'kysely';
import { excludedFollowUp } from '../../jobs/follow-ups/follow-up.ts';
import { followUpColumns, followUpFrom, followUpRow } from '../queries/follow-ups.ts';
import { idsOf } from '../queries/prepared.ts';
import { deleteJobs } from '../retention.ts';
import type { Queries } from '../schema/tables.ts';
import { type Holdings, idColumns, type TextTable, textColumns } from './personal-columns.ts';
import { FORGOTTEN, isNamed, jobsOf, namesIn, type Subject, touchedJobs, withoutName } from './subject.ts';

/** Erases the subject's data, none of which may be in progress, and returns its amount. */
export async function erase(db: Queries, subject: Subject, nowMs: number): Promise<Holdings> {
  const jobs = await eraseJobs(db, subject, nowMs);
  const { replies, calls, mentions } = await scrubJobs(db, subject);
  const counts = {
    early_replies: 0,
    homes: 0,
    settings: 0,
    audit_entries: 0,
    jobs,
    replies,
    calls,
    mentions,
  };
  for (const column of idColumns.filter(({ holds }) => holds === subject.kind)) {
    const erased = await eraseIds(db, column, subject);
    if (column.countedAs !== null) counts[column.countedAs] += erased;
  }
  for (const table of ['earlyReply', 'pullRequest'] as const)
    counts.mentions += await eraseNames(db, table, subject, inTeam(subject, 'teamId'));
  if (subject.kind === 'channel') counts.settings += await eraseNoticeChannels(db, subject);
  else {
    await db
      .deleteFrom('task')
      .where('kind', '=', 'refresh_home')
      .where('subject', 'like', `${subject.teamId ?? '%'}:${subject.id}`)
      .execute();
  }
  return counts;
}

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
  await deleteJobs(db, idsOf(jobs), nowMs);
  if (subject.kind === 'channel') return jobs.length;
  // Threads of direct messages belong to one person; those of channels are erased by the channel's id.
  for (const { teamId, channelId } of jobs.filter((job) => job.channelId.startsWith('D'))) {
    await db
      .deleteFrom('pastThread')
      .where((eb) => eb.and({ teamId, channelId }))
      .execute();
  }
  return jobs.length;
}

/** Other channels' settings may send notices to this one. Returns how many do. */
async function eraseNoticeChannels(db: Queries, subject: Subject): Promise<number> {
  const rows = await db
    .selectFrom('channelSetting')
    .select(['teamId', 'channelId', 'data'])
    .where('data', 'like', `%${subject.id}%`)
    .where(inTeam(subject, 'teamId'))
    .execute();
  for (const { data, ...row } of rows) {
    const without = JSON.parse(data, (_key, value) =>
      Array.isArray(value) ? value.filter((item) => item !== subject.id) : value,
    );
    await db
      .updateTable('channelSetting')
      .set({ data: JSON.stringify(without) })
      .where((eb) => eb.and(row))
      .execute();
  }
  return rows.length;
}

const ERASED = '(erased)';
/** Keys of requests under which calls hold what people wrote. */
const WORDS: ReadonlySet<string> = new Set(['prompt', 'text', 'name']);

/** Removes the subject from others' jobs, which continue. */
async function scrubJobs(
  db: Queries,
  subject: Subject,
): Promise<Pick<Holdings, 'replies' | 'calls' | 'mentions'>> {
  let [replies, calls, mentions] = [0, 0, 0];
  for (const { id: jobId } of await touchedJobs(db, subject).execute()) {
    const own = subject.kind === 'user' ? await eraseReplies(db, jobId, subject.id) : 0;
    replies += own;
    // After an edit or a second try, several calls hold the words of a reply.
    if (own > 0) calls += await eraseWords(db, jobId);
    mentions += await eraseNames(db, 'job', subject, sql`id = ${jobId}`);
    mentions += await eraseNames(db, 'followUp', subject, sql`job_id = ${jobId}`);
    mentions += await eraseNames(db, 'call', subject, sql`job_id = ${jobId}`);
  }
  return { replies, calls, mentions };
}

/** Empties the person's replies. The rows stay, so that no reply is taken in again. */
async function eraseReplies(db: Queries, jobId: string, userId: string): Promise<number> {
  const rows = await db
    .selectFrom('followUp')
    .select(followUpColumns)
    .where('jobId', '=', jobId)
    .where('userId', '=', userId)
    .execute();
  for (const row of rows) {
    const { text, more, state } = followUpRow(excludedFollowUp(followUpFrom(row), 'excluded'));
    await db
      .updateTable('followUp')
      .set({ userId: FORGOTTEN, text, more, state: row.state === 'sent' ? 'sent' : state })
      .where('id', '=', row.id)
      .execute();
  }
  return rows.length;
}

/** Erases the words in finished calls of a job, except for its first prompt, which is the requester's. */
async function eraseWords(db: Queries, jobId: string): Promise<number> {
  const rows = await db
    .selectFrom('call')
    .select(['id', 'request'])
    .where('jobId', '=', jobId)
    .where('kind', '!=', 'create_job')
    .where('endedAt', 'is not', null)
    .execute();
  let erased = 0;
  for (const { id, request } of rows) {
    const without = JSON.stringify(
      JSON.parse(request, (key, value) => (WORDS.has(key) && typeof value === 'string' ? ERASED : value)),
    );
    if (without === request) continue;
    await db.updateTable('call').set({ request: without }).where('id', '=', id).execute();
    erased += 1;
  }
  return erased;
}

/** Removes the subject's name from texts. Returns how many rows named it. */
async function eraseNames(
  db: Queries,
  table: TextTable,
  subject: Subject,
  where: RawBuilder<boolean>,
): Promise<number> {
  const { key, texts: columns } = textColumns[table];
  const rows = await db
    .selectFrom(sql<Readonly<Record<string, string | null>>>`${sql.table(table)}`.as('named'))
    .selectAll()
    .where(where)
    .where(namesIn(columns, subject))
    .forUpdate()
    .execute();
  let erased = 0;
  for (const row of rows) {
    const naming = columns.filter((column: string) => isNamed(row[column] ?? '', subject));
    if (naming.length === 0) continue;
    const changes = naming.map((column) => {
      // Two forgotten channels must not get the same key.
      const text =
        column === 'naturalKey' ? `${FORGOTTEN}:${row.id}` : withoutName(row[column] ?? '', subject.id);
      return sql`${sql.ref(column)} = ${text}`;
    });
    const isRow = key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
    await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${sql.join(isRow, sql` and `)}`.execute(
      db,
    );
    erased += 1;
  }
  return erased;
}
