import { dueStates } from '../../jobs/follow-up.ts';
import { isUnwatched } from '../../jobs/job.ts';
import { activeStages } from '../../jobs/stages.ts';
import { jobFromJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';
import { isNamed, jobsOf, type Subject, touchedJobs } from './subject.ts';

/** What is under way, and would be cut off. */
export interface OpenWork {
  readonly jobId: string;
  readonly channelId: string;
  /** Null until there is one. */
  readonly threadTs: string | null;
  /** The job itself, or only something of the subject in it. */
  readonly what: 'job' | 'reply' | 'post';
}

/** What of the subject's is under way. Locks its jobs until the transaction ends. */
export async function openWork(db: Queries, subject: Subject): Promise<OpenWork[]> {
  const found: OpenWork[] = [];
  for (const row of await jobsOf(db, subject).execute()) {
    const isWorkedOn = activeStages.has(row.stage) && !isUnwatched(jobFromJson(row.data));
    const hasOpen =
      isWorkedOn || (await openCalls(db, row.id)).length > 0 || (await hasWaiting(db, row.id, null));
    if (hasOpen) found.push({ ...placeOf(row), what: 'job' });
  }
  for (const row of await touchedJobs(db, subject).execute()) {
    const calls = await openCalls(db, row.id);
    if (subject.kind === 'user' && (await hasWaiting(db, row.id, subject.id))) {
      found.push({ ...placeOf(row), what: 'reply' });
    } else if (calls.some(({ request, natural_key }) => isNamed(request + natural_key, subject))) {
      found.push({ ...placeOf(row), what: 'post' });
    }
  }
  return found;
}

function placeOf(row: {
  readonly id: string;
  readonly channel_id: string;
  readonly thread_ts: string | null;
}) {
  return { jobId: row.id, channelId: row.channel_id, threadTs: row.thread_ts };
}

function openCalls(db: Queries, jobId: string) {
  return db
    .selectFrom('call')
    .select(['request', 'natural_key'])
    .where('job_id', '=', jobId)
    .where('ended_at', 'is', null)
    .execute();
}

/** @param userId null: anybody's */
async function hasWaiting(db: Queries, jobId: string, userId: string | null): Promise<boolean> {
  const row = await db
    .selectFrom('follow_up')
    .select('id')
    .where('job_id', '=', jobId)
    .where('state', 'in', dueStates)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
    .executeTakeFirst();
  return row !== undefined;
}
