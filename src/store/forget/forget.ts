import { sql } from 'kysely';
import { dueStates } from '../../jobs/follow-ups/follow-up.ts';
import { activeStages, isUnwatched } from '../../jobs/job.ts';
import { stepOf } from '../../jobs/steps.ts';
import { openDatabase, type StoreLocation } from '../open.ts';
import { fromJson, type Queries } from '../schema/tables.ts';
import { erase } from './erase.ts';
import type { Holdings } from './personal-columns.ts';
import { isNamed, jobsOf, type Subject, touchedJobs } from './subject.ts';

export type Forgotten = Readonly<{
  holdings: Holdings;
  openWork: readonly OpenWork[];
}>;

/**
 * Erases what the store holds of a person or a channel; with `dry`, only counts it. While something of theirs is in
 * progress, nothing is erased. On Postgres the service may keep running; an embedded store must not be open elsewhere.
 * Throws StoreError as `openStore` does.
 */
export async function forget(
  location: StoreLocation,
  subject: Subject,
  { dry, nowMs }: { dry: boolean; nowMs: number },
): Promise<Forgotten> {
  const { database } = await openDatabase(location);
  try {
    const transaction = await database.queries.startTransaction().execute();
    let forgotten: Forgotten;
    try {
      const open = await openWork(transaction, subject);
      // Erased even if rolled back: the counts are those of a real run.
      forgotten = { openWork: open, holdings: await erase(transaction, subject, nowMs) };
    } catch (error) {
      await transaction.rollback().execute();
      throw error;
    }
    if (dry || forgotten.openWork.length > 0) {
      await transaction.rollback().execute();
      return forgotten;
    }
    await transaction.commit().execute();
    // Deleted data stays in SQLite's file until it is rewritten. Postgres vacuums by itself.
    if (database.engine === 'sqlite') await sql`vacuum`.execute(database.queries);
    return forgotten;
  } finally {
    await database.close();
  }
}

/** Work in progress, which would be cut off. */
export type OpenWork = Readonly<{
  jobId: string;
  channelId: string;
  threadTs: string | null;
  /** The whole job, or something of the subject in it. */
  what: 'job' | 'reply' | 'post';
}>;

/** The subject's work in progress. Locks its jobs until commit. */
async function openWork(db: Queries, subject: Subject): Promise<OpenWork[]> {
  const found: OpenWork[] = [];
  for (const row of await jobsOf(db, subject).execute()) {
    const job = fromJson(row.data);
    const isWorkedOn = activeStages.has(row.stage) && !isUnwatched(job);
    const isAwaited = stepOf(job) !== null && job.isStepCompleted !== true;
    const hasOpen =
      isWorkedOn ||
      isAwaited ||
      (await openCalls(db, row.id)).length > 0 ||
      (await hasWaiting(db, row.id, null));
    if (hasOpen) found.push({ ...placeOf(row), what: 'job' });
  }
  for (const row of await touchedJobs(db, subject).execute()) {
    const calls = await openCalls(db, row.id);
    if (subject.kind === 'user' && (await hasWaiting(db, row.id, subject.id))) {
      found.push({ ...placeOf(row), what: 'reply' });
    } else if (calls.some(({ request, naturalKey }) => isNamed(request + naturalKey, subject))) {
      found.push({ ...placeOf(row), what: 'post' });
    }
  }
  return found;
}

function placeOf(row: { readonly id: string; readonly channelId: string; readonly threadTs: string | null }) {
  return { jobId: row.id, channelId: row.channelId, threadTs: row.threadTs };
}

function openCalls(db: Queries, jobId: string) {
  return db
    .selectFrom('call')
    .select(['request', 'naturalKey'])
    .where('jobId', '=', jobId)
    .where('endedAt', 'is', null)
    .execute();
}

/** Whether replies wait: of this person, or (null) of anybody. */
async function hasWaiting(db: Queries, jobId: string, userId: string | null): Promise<boolean> {
  const row = await db
    .selectFrom('followUp')
    .select('id')
    .where('jobId', '=', jobId)
    .where('state', 'in', dueStates)
    .$if(userId !== null, (query) => query.where('userId', '=', userId ?? ''))
    .executeTakeFirst();
  return row !== undefined;
}
