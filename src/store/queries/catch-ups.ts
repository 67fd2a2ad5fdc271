import { dueStates } from '../../jobs/follow-up.ts';
import type { Job } from '../../jobs/job.ts';
import { jobFromJson } from '../schema/json.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import { type LiveThreads, URGENCIES, wantLiveThreads } from './live-threads.ts';
import { prepared, type Values } from './prepared.ts';
import type { Tasks } from './tasks/tasks.ts';

export interface ThreadToRead {
  readonly jobId: string;
  /** Null: it is not in the store any more. */
  readonly job: Job | null;
  /** Nothing shows that replies were missed. */
  readonly isSweep: boolean;
  /** How often it was wanted so far. */
  readonly wishes: number;
  /** How often in a row it could not be read. */
  readonly failures: number;
  /** The newest message that was seen in it, or null. */
  readonly seenTs: string | null;
  /** Where this reading began; null: it has not begun. */
  readonly oldestTs: string | null;
  /** Where the next page begins; null: at `oldestTs`. */
  readonly cursor: string | null;
  /** Replies that were found so far, and had been written long before. */
  readonly oldReplies: number;
  /** The oldest reply that waits to be sent, or null. */
  readonly unsentTs: string | null;
}

export interface PageRead extends Pick<ThreadToRead, 'seenTs' | 'oldestTs' | 'cursor' | 'oldReplies'> {
  /** After the last page, no sweep looks at the thread until then. */
  readonly sweepFromMs: number;
}

const notBegun = { oldest_ts: null, cursor: null, old_replies: 0, failures: 0 };
const unread = { wishes: 1, sweep_from: null, seen_ts: null, ...notBegun };

type Row = Tables['catch_up'];
type Key = { readonly jobId: string };

const wantThread = prepared((db, { jobId, teamId, nowMs }: Values<Key & { teamId: string; nowMs: number }>) =>
  db
    .insertInto('catch_up')
    .values({ job_id: jobId, team_id: teamId, urgency: URGENCIES.now, wanted_at: nowMs, ...unread })
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((eb) => ({
        urgency: URGENCIES.now,
        wanted_at: nowMs,
        wishes: eb('catch_up.wishes', '+', 1),
      })),
    ),
);

const hurryThread = prepared((db, { jobId }: Values<Key>) =>
  db
    .updateTable('catch_up')
    .set({ urgency: URGENCIES.now })
    .where('job_id', '=', jobId)
    .where('urgency', '<', URGENCIES.sweep)
    .returning('job_id'),
);

const nextThread = prepared((db, { teamId, nowMs }: Values<{ teamId: string; nowMs: number }>) =>
  db
    .selectFrom('catch_up')
    .leftJoin('job', 'job.id', 'catch_up.job_id')
    .selectAll('catch_up')
    .select('job.data')
    .select(({ selectFrom }) =>
      selectFrom('follow_up')
        .select(({ fn }) => fn.min('message_ts').as('ts'))
        .whereRef('follow_up.job_id', '=', 'catch_up.job_id')
        .where('state', 'in', dueStates)
        .as('unsent_ts'),
    )
    .where('catch_up.team_id', '=', teamId)
    .where('catch_up.urgency', 'is not', null)
    .where('catch_up.wanted_at', '<=', nowMs)
    .orderBy('catch_up.urgency')
    .orderBy('catch_up.wanted_at')
    .limit(1),
);

const firstWantedAt = prepared((db, { teamId }: Values<{ teamId: string }>) =>
  db
    .selectFrom('catch_up')
    .select(({ fn }) => fn.min('wanted_at').as('at'))
    .where('team_id', '=', teamId)
    .where('urgency', 'is not', null),
);

type Progress = Pick<Row, 'seen_ts' | 'oldest_ts' | 'cursor' | 'old_replies'>;

const readOn = prepared((db, { jobId, seen_ts, oldest_ts, cursor, old_replies }: Values<Key & Progress>) =>
  db
    .updateTable('catch_up')
    .set({ seen_ts, oldest_ts, cursor, old_replies, failures: 0 })
    .where('job_id', '=', jobId),
);

const endReading = prepared(
  (
    db,
    {
      jobId,
      wishes,
      seen_ts,
      sweep_from,
      nowMs,
    }: Values<Key & { wishes: number; seen_ts: string | null; sweep_from: number; nowMs: number }>,
  ) =>
    db
      .updateTable('catch_up')
      .set((eb) => ({
        seen_ts,
        sweep_from,
        ...notBegun,
        // Wanted again while it was read: it goes to the end of the line.
        wanted_at: eb.case().when('wanted_at', '>', nowMs).then(eb.ref('wanted_at')).else(nowMs).end(),
        urgency: eb.case().when('wishes', '=', wishes).then(null).else(eb.ref('urgency')).end(),
      }))
      .where('job_id', '=', jobId),
);

const retryThreadAt = prepared((db, { jobId, atMs }: Values<Key & { atMs: number }>) =>
  db
    .updateTable('catch_up')
    .set((eb) => ({ wanted_at: atMs, failures: eb('failures', '+', 1) }))
    .where('job_id', '=', jobId),
);

const beginAgain = prepared((db, { jobId, atMs }: Values<Key & { atMs: number }>) =>
  db
    .updateTable('catch_up')
    .set((eb) => ({
      oldest_ts: null,
      cursor: null,
      wanted_at: atMs,
      urgency: eb
        .case()
        .when('urgency', '=', URGENCIES.now)
        .then(URGENCIES.missed)
        .else(eb.ref('urgency'))
        .end(),
    }))
    .where('job_id', '=', jobId),
);

const giveThreadUp = prepared((db, { jobId, sweep_from }: Values<Key & { sweep_from: number }>) =>
  db
    .updateTable('catch_up')
    .set({ urgency: null, sweep_from, ...notBegun })
    .where('job_id', '=', jobId),
);

const dropThread = prepared((db, { jobId }: Values<Key>) =>
  db.deleteFrom('catch_up').where('job_id', '=', jobId),
);

/**
 * The threads that are to be read for missed replies, and how far each was read. A workspace reads one page at a
 * time, for Slack's limit is that of a workspace: its task is `catch_up`, with the workspace's id as subject.
 */
export class CatchUps {
  private readonly db: Queries;
  private readonly tasks: Tasks;

  constructor(db: Queries, tasks: Tasks) {
    this.db = db;
    this.tasks = tasks;
  }

  /** Wants this thread to be read before all others of its workspace. */
  async want({ id, teamId }: Pick<Job, 'id' | 'teamId'>, nowMs: number): Promise<void> {
    await wantThread.change(this.db, { jobId: id, teamId, nowMs });
    await this.schedule(teamId, nowMs);
    // It may wait for threads that are to be read later.
    await this.tasks.runNow('catch_up', teamId, nowMs);
  }

  /** Wants live threads to be read. Returns how many that are in each workspace. */
  async wantLive(threads: LiveThreads): Promise<ReadonlyMap<string, number>> {
    const { rows } = await wantLiveThreads(threads).execute(this.db);
    const counts = new Map<string, number>();
    for (const { team_id } of rows) counts.set(team_id, (counts.get(team_id) ?? 0) + 1);
    // In one order, so that two transactions that plan at the same time do not deadlock.
    for (const teamId of [...counts.keys()].sort()) await this.schedule(teamId, threads.fromMs);
    return counts;
  }

  /** Replies wait for this thread: it is read first. Returns whether replies of it may have been missed. */
  async hurry(jobId: string): Promise<boolean> {
    return (await hurryThread.first(this.db, { jobId })) !== undefined;
  }

  /** The thread whose turn it is in the workspace, or null. */
  async next(teamId: string, nowMs: number): Promise<ThreadToRead | null> {
    const row = await nextThread.first(this.db, { teamId, nowMs });
    if (row === undefined) return null;
    return {
      jobId: row.job_id,
      job: row.data === null ? null : jobFromJson(row.data),
      isSweep: row.urgency === URGENCIES.sweep,
      wishes: row.wishes,
      failures: row.failures,
      seenTs: row.seen_ts,
      oldestTs: row.oldest_ts,
      cursor: row.cursor,
      oldReplies: row.old_replies,
      unsentTs: row.unsent_ts,
    };
  }

  /** When the workspace's next thread may be read, or null if there is none. */
  async nextAtMs(teamId: string): Promise<number | null> {
    return (await firstWantedAt.first(this.db, { teamId }))?.at ?? null;
  }

  /** A page was read; without a cursor it was the last, and the thread is read again only if that was wanted meanwhile. */
  async pageRead({ jobId, wishes }: ThreadToRead, page: PageRead, nowMs: number): Promise<void> {
    const { seenTs, oldestTs, cursor, oldReplies, sweepFromMs } = page;
    if (cursor === null)
      await endReading.change(this.db, { jobId, wishes, seen_ts: seenTs, sweep_from: sweepFromMs, nowMs });
    else {
      const progress = { seen_ts: seenTs, oldest_ts: oldestTs, cursor, old_replies: oldReplies };
      await readOn.change(this.db, { jobId, ...progress });
    }
  }

  /** The thread could not be read: it is tried again at `atMs`, and the others go on. */
  async retryAt(jobId: string, atMs: number): Promise<void> {
    await retryThreadAt.change(this.db, { jobId, atMs });
  }

  /** Slack does not know the cursor any more: the reading begins again at `atMs`, and comes before no others. */
  async dropCursor(jobId: string, atMs: number): Promise<void> {
    await beginAgain.change(this.db, { jobId, atMs });
  }

  /** The thread cannot be read: no sweep looks at it until then. */
  async giveUp(jobId: string, sweepFromMs: number): Promise<void> {
    await giveThreadUp.change(this.db, { jobId, sweep_from: sweepFromMs });
  }

  /** There is no such thread (any more). */
  async drop(jobId: string): Promise<void> {
    await dropThread.change(this.db, { jobId });
  }

  private schedule(teamId: string, runAtMs: number): Promise<void> {
    return this.tasks.schedule({ kind: 'catch_up', subject: teamId, runAtMs, ifScheduled: 'keep' });
  }
}
