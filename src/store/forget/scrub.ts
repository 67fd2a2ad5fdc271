import { type RawBuilder, sql } from 'kysely';
import type { CallRequest } from '../../jobs/call.ts';
import { keptOut } from '../../jobs/follow-up.ts';
import { followUpFromRow, followUpMore } from '../queries/follow-ups.ts';
import { requestFromJson, toJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';
import { type TextTable, textColumns } from './personal-columns.ts';
import { FORGOTTEN, isNamed, namesIn, type Subject, touchedJobs, withoutName } from './subject.ts';

const ERASED = '(erased)';
/** Under these keys calls hold what people wrote. */
const WORDS: ReadonlySet<string> = new Set(['prompt', 'text', 'name']);

interface Scrubbed {
  readonly replies: number;
  readonly calls: number;
  readonly mentions: number;
}

/** Takes the subject out of the jobs of others, which go on. */
export async function scrubJobs(db: Queries, subject: Subject): Promise<Scrubbed> {
  let [replies, calls, mentions] = [0, 0, 0];
  for (const { id: jobId } of await touchedJobs(db, subject).execute()) {
    const own = subject.kind === 'user' ? await eraseReplies(db, jobId, subject.id) : 0;
    replies += own;
    // An edit, or a second try, leaves the words of a reply in other calls than the one that took it.
    if (own > 0) calls += await eraseWords(db, jobId);
    mentions += await eraseNames(db, 'job', subject, sql`id = ${jobId}`);
    mentions += await eraseNames(db, 'follow_up', subject, sql`job_id = ${jobId}`);
    mentions += await eraseNames(db, 'call', subject, sql`job_id = ${jobId}`);
  }
  return { replies, calls, mentions };
}

/** Empties the person's replies; that they were there is kept, so that none is taken in again. */
async function eraseReplies(db: Queries, jobId: string, userId: string): Promise<number> {
  const rows = await db
    .selectFrom('follow_up')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('user_id', '=', userId)
    .execute();
  for (const row of rows) {
    const emptied = keptOut(followUpFromRow(row), 'kept_out');
    const state = row.state === 'sent' ? 'sent' : emptied.state;
    await db
      .updateTable('follow_up')
      .set({ user_id: FORGOTTEN, text: emptied.text, state, more: toJson(followUpMore(emptied)) })
      .where('id', '=', row.id)
      .execute();
  }
  return rows.length;
}

/** The words in the calls of a job that have an outcome, but for its first prompt, which is its requester's. */
async function eraseWords(db: Queries, jobId: string): Promise<number> {
  const rows = await db
    .selectFrom('call')
    .select(['id', 'request'])
    .where('job_id', '=', jobId)
    .where('kind', '!=', 'create_job')
    .where('ended_at', 'is not', null)
    .execute();
  let erased = 0;
  for (const { id, request } of rows) {
    const without = toJson(withoutWords(requestFromJson(request)));
    if (without === request) continue;
    await db.updateTable('call').set({ request: without }).where('id', '=', id).execute();
    erased += 1;
  }
  return erased;
}

function withoutWords(request: CallRequest): CallRequest {
  return JSON.parse(JSON.stringify(request), (key, value) =>
    WORDS.has(key) && typeof value === 'string' ? ERASED : value,
  );
}

/** Takes the subject's name out of the rows' texts. Returns how many rows named it. */
export async function eraseNames(
  db: Queries,
  table: TextTable,
  subject: Subject,
  where: RawBuilder<boolean>,
): Promise<number> {
  const { key, texts, unique } = textColumns[table];
  const columns = unique === null ? texts : [...texts, unique];
  const rows = await db
    .selectFrom(sql<Readonly<Record<string, string | null>>>`${sql.table(table)}`.as('named'))
    .selectAll()
    .where(where)
    .where(namesIn(columns, subject))
    .forUpdate()
    .execute();
  let erased = 0;
  for (const row of rows) {
    const naming = columns.filter((column) => isNamed(row[column] ?? '', subject));
    if (naming.length === 0) continue;
    const changes = naming.map((column) => {
      // Two channels that are forgotten must not get the same key.
      const text = column === unique ? `${FORGOTTEN}:${row.id}` : withoutName(row[column] ?? '', subject.id);
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
