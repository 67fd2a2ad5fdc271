import { type RawBuilder, sql } from 'kysely';
import { dueStates, excludedFollowUp } from '#jobs/follow-ups/follow-up.ts';
import { activeStages, isUnwatched } from '#jobs/job.ts';
import { openDatabase, type StoreLocation } from './open.ts';
import { followUpFrom, followUpRow } from './queries/follow-ups.ts';
import { idsOf } from './queries/prepared.ts';
import { Retention } from './retention.ts';
import { FORGOTTEN, fromJson, type Queries, type Tables } from './schema/tables.ts';

/** `teamId` null: all workspaces. */
export type Subject = Readonly<{
  kind: 'user' | 'channel';
  id: string;
  teamId: string | null;
}>;

export type Forgotten = Readonly<{
  holdings: Holdings;
  openWork: readonly OpenWork[];
}>;

const NOTHING = { jobs: 0, replies: 0, calls: 0, mentions: 0, rows: 0 };

export type Holdings = Readonly<typeof NOTHING>;

type OpenWork = Readonly<{
  jobId: string;
  channelId: string;
  threadTs: string | null;
}>;

type IdColumn = Readonly<{
  table: keyof Tables;
  column: 'userId' | 'channelId';
  /** Made for deleted jobs, so not counted. */
  isTrace?: true;
}>;

/** `personal-columns.test.ts` classifies every column of the schema. */
export const idColumns: readonly IdColumn[] = [
  { table: 'earlyReply', column: 'userId' },
  { table: 'earlyReply', column: 'channelId' },
  { table: 'pastNotice', column: 'channelId', isTrace: true },
  { table: 'pastThread', column: 'channelId', isTrace: true },
  { table: 'home', column: 'userId' },
  { table: 'auditEntry', column: 'userId' },
  { table: 'channelSetting', column: 'channelId' },
];

export const textColumns = {
  job: { key: ['id'], texts: ['data'] },
  followUp: { key: ['id'], texts: ['text', 'more'] },
  call: { key: ['id'], texts: ['lane', 'request', 'detail', 'naturalKey'] },
  earlyReply: { key: ['teamId', 'channelId', 'threadTs', 'messageTs'], texts: ['text', 'more'] },
  pullRequest: { key: ['teamId', 'key'], texts: ['facts', 'memory'] },
} as const;

type TextTable = keyof typeof textColumns;

/**
 * Erases nothing while the subject has open work; `dry` only counts. On Postgres, the service may keep
 * running. Throws StoreError like `openStore`.
 */
export async function forget(
  location: StoreLocation,
  subject: Subject,
  { dry, nowMs }: { dry: boolean; nowMs: number },
): Promise<Forgotten> {
  const { database } = await openDatabase(location);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  const transaction = await database.queries.startTransaction().execute();
  let isFinal = false;
  try {
    const openWork = await findOpenWork(transaction, subject);
    // Runs even before a rollback: the counts are those of a real run.
    const holdings = await erase(transaction, subject, nowMs);
    isFinal = !dry && openWork.length === 0;
    return { openWork, holdings };
  } finally {
    await (isFinal ? transaction.commit() : transaction.rollback()).execute();
    // SQLite keeps deleted data in its file until a vacuum.
    if (isFinal && database.engine === 'sqlite') await sql`vacuum`.execute(database.queries);
  }
}

async function findOpenWork(db: Queries, subject: Subject) {
  const found: OpenWork[] = [];
  for (const row of await lockedJobs(db, subject, '=').execute()) {
    const job = fromJson(row.data);
    const { calls, waitingUserIds, place } = await workOf(db, row);
    const isOpen =
      (activeStages.has(row.stage) && !isUnwatched(job)) ||
      (job.origin.kind === 'workflow' && job.isStepCompleted !== true) ||
      calls.length + waitingUserIds.length > 0;
    if (isOpen) found.push(place);
  }
  for (const row of await touchedJobs(db, subject).execute()) {
    const { calls, waitingUserIds, place } = await workOf(db, row);
    const isWaiting = waitingUserIds.includes(subject.id);
    if (isWaiting || calls.some((call) => isNamed(call, subject))) found.push(place);
  }
  return found;
}

async function workOf(db: Queries, { id: jobId, channelId, threadTs }: Tables['job']) {
  const calls = await db
    .selectFrom('call')
    .select(['request', 'naturalKey'])
    .where('jobId', '=', jobId)
    .where('endedAt', 'is', null)
    .execute();
  const replies = await db
    .selectFrom('followUp')
    .select('userId')
    .where('jobId', '=', jobId)
    .where('state', 'in', dueStates)
    .execute();
  return {
    place: { jobId, channelId, threadTs },
    calls: calls.map(({ request, naturalKey }) => request + naturalKey),
    waitingUserIds: replies.map(({ userId }) => userId),
  };
}

async function erase(db: Queries, subject: Subject, nowMs: number): Promise<Holdings> {
  const jobs = await eraseJobs(db, subject, nowMs);
  const counts = { ...NOTHING, jobs, ...(await scrubJobs(db, subject)) };
  for (const { table, column, isTrace } of idColumns) {
    if (column !== `${subject.kind}Id`) continue;
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(column)} = ${subject.id} and ${inTeam(subject)}`.execute(
      db,
    );
    if (!isTrace) counts.rows += Number(numAffectedRows);
  }
  for (const table of ['earlyReply', 'pullRequest'] as const)
    counts.mentions += await eraseNames(db, table, subject, inTeam(subject));
  if (subject.kind === 'channel') counts.rows += await eraseNoticeChannels(db, subject);
  else {
    await db
      .deleteFrom('task')
      .where('kind', '=', 'refresh_home')
      .where('subject', 'like', `${subject.teamId ?? '%'}:${subject.id}`)
      .execute();
  }
  return counts;
}

function inTeam({ teamId }: Subject) {
  return teamId === null ? sql<boolean>`1 = 1` : sql<boolean>`team_id = ${teamId}`;
}

async function eraseJobs(db: Queries, subject: Subject, nowMs: number) {
  const jobs = await lockedJobs(db, subject, '=').execute();
  await new Retention(db).deleteJobs(idsOf(jobs), nowMs);
  // A direct message belongs to one person.
  for (const { teamId, channelId } of jobs.filter((job) => job.channelId.startsWith('D'))) {
    await db
      .deleteFrom('pastThread')
      .where((eb) => eb.and({ teamId, channelId }))
      .execute();
  }
  return jobs.length;
}

async function eraseNoticeChannels(db: Queries, subject: Subject) {
  const rows = await db
    .selectFrom('channelSetting')
    .select(['teamId', 'channelId', 'data'])
    .where('data', 'like', `%${subject.id}%`)
    .where(inTeam(subject))
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

async function scrubJobs(db: Queries, subject: Subject) {
  let [replies, calls, mentions] = [0, 0, 0];
  for (const { id: jobId } of await touchedJobs(db, subject).execute()) {
    const own = subject.kind === 'user' ? await eraseReplies(db, jobId, subject.id) : 0;
    replies += own;
    // After edits and retries, several calls hold a reply's text.
    if (own > 0) calls += await eraseWords(db, jobId);
    mentions += await eraseNames(db, 'job', subject, sql`id = ${jobId}`);
    mentions += await eraseNames(db, 'followUp', subject, sql`job_id = ${jobId}`);
    mentions += await eraseNames(db, 'call', subject, sql`job_id = ${jobId}`);
  }
  return { replies, calls, mentions };
}

/** Keeps the rows: otherwise the replies could be stored again. */
async function eraseReplies(db: Queries, jobId: string, userId: string) {
  const rows = await db
    .selectFrom('followUp')
    .selectAll()
    .where((eb) => eb.and({ jobId, userId }))
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

const WORDS: ReadonlySet<string> = new Set(['prompt', 'text', 'name']);

/** Except the first prompt, which is the requester's. Pictures may be of replies that went along. */
async function eraseWords(db: Queries, jobId: string) {
  const rows = await db
    .selectFrom('call')
    .select(['id', 'kind', 'request'])
    .where('jobId', '=', jobId)
    .where('endedAt', 'is not', null)
    .execute();
  let erased = 0;
  for (const { id, kind, request } of rows) {
    const kept = JSON.parse(request, (key, value) => {
      if (key === 'pictures') return undefined;
      const isErased = kind !== 'create_job' && WORDS.has(key) && typeof value === 'string';
      return isErased ? '(erased)' : value;
    });
    const without = JSON.stringify(kept);
    if (without === request) continue;
    await db.updateTable('call').set({ request: without }).where('id', '=', id).execute();
    erased += 1;
  }
  return erased;
}

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
    .where(mayName(columns, subject))
    .forUpdate()
    .execute();
  let erased = 0;
  for (const row of rows) {
    const naming = columns.filter((column: string) => isNamed(row[column] ?? '', subject));
    if (naming.length === 0) continue;
    const changes = naming.map((column) => {
      // Natural keys must stay unique.
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

function isNamed(text: string, { id }: Subject) {
  return withoutName(text, id) !== text;
}

/** Ids are alphanumeric, so JSON stays valid. */
function withoutName(text: string, id: string) {
  return text
    .replace(/<[@#]([A-Za-z0-9]+)(?:\|[^<>"\\]*)?>/g, (mention, named) =>
      named === id ? `(${FORGOTTEN})` : mention,
    )
    .replace(/[A-Za-z0-9]+/g, (word) => (word === id ? FORGOTTEN : word));
}

function touchedJobs(db: Queries, subject: Subject) {
  const named = (table: TextTable) =>
    mayName(
      textColumns[table].texts.map((column) => `${table}.${column}`),
      subject,
    );
  return lockedJobs(db, subject, '!=').where(sql<boolean>`(
    ${named('job')}
    or exists (select 1 from call where call.job_id = job.id and ${named('call')})
    or exists (
      select 1 from follow_up
      where follow_up.job_id = job.id and (user_id = ${subject.id} or ${named('followUp')})
    )
  )`);
}

function mayName(columns: readonly string[], { id }: Subject): RawBuilder<boolean> {
  return sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} like ${`%${id}%`}`),
    sql` or `,
  )})`;
}

/** `=`: the subject's own jobs; `!=`: all others. Locks them until commit. */
function lockedJobs(db: Queries, { kind, id, teamId }: Subject, whose: '=' | '!=') {
  return db
    .selectFrom('job')
    .selectAll()
    .where(kind === 'user' ? 'requesterId' : 'channelId', whose, id)
    .$if(teamId !== null, (query) => query.where('teamId', '=', teamId ?? ''))
    .orderBy('id')
    .forUpdate();
}
