import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Job } from '../../../jobs/job.ts';
import type { ChannelSettings } from '../../../jobs/policy.ts';
import { jobFromJson, settingsFromJson } from '../../schema/json.ts';
import type { CallRow, Queries } from '../../schema/tables.ts';
import { preparedForMany, type Values } from '../prepared.ts';
import type { Lease } from '../tasks/task.ts';
import type { LedgerCall } from './calls.ts';
import { callFromRow } from './calls.ts';

export interface NextPost {
  readonly call: LedgerCall;
  readonly job: Job;
  /** What administrators saved for the job's channel. */
  readonly saved: ChannelSettings | null;
}

export interface SettledPost {
  readonly callId: string;
  readonly state: 'done' | 'failed';
  readonly detail: string | null;
}

const nextInLanes = preparedForMany((db, lanes: readonly Values<{ lane: string }>[]) =>
  db
    .selectFrom('call')
    // Not an inner join: without its job, a call must not look like the end of its lane.
    .leftJoin('job', 'job.id', 'call.job_id')
    .leftJoin('channel_setting', (join) =>
      join
        .onRef('channel_setting.team_id', '=', 'job.team_id')
        .onRef('channel_setting.channel_id', '=', 'job.channel_id'),
    )
    .selectAll('call')
    .select(['job.data', 'channel_setting.data as saved'])
    .where('call.seq', 'in', ({ selectFrom, fn }) =>
      selectFrom('call')
        .select(fn.min('seq').as('seq'))
        .where(
          'lane',
          'in',
          lanes.map(({ lane }) => lane),
        )
        .where('ended_at', 'is', null)
        .groupBy('lane'),
    ),
);

const lockLeased = preparedForMany((db, leases: readonly Values<Lease>[]) =>
  db
    .selectFrom('task')
    .select(['id', 'lease_token'])
    .where(
      'id',
      'in',
      leases.map(({ taskId }) => taskId),
    )
    .forKeyShare()
    .skipLocked(),
);

const freeCalls = (db: Queries, ids: readonly Expression<string>[]) =>
  db.selectFrom('call').select('id').where('id', 'in', ids).forNoKeyUpdate().skipLocked();

const startWanted = preparedForMany(
  (db, calls: readonly Values<{ id: string }>[], { nowMs }: Values<{ nowMs: number }>) => {
    const ids = calls.map(({ id }) => id);
    return db
      .updateTable('call')
      .set({ state: 'started', started_at: nowMs })
      .where('id', 'in', freeCalls(db, ids))
      .where('state', '=', 'wanted')
      .returning('id');
  },
);

const settleMany = preparedForMany(
  (db, posts: readonly Values<SettledPost>[], { nowMs }: Values<{ nowMs: number }>) => {
    const rows = posts.map(({ callId, state, detail }) => sql`(${callId}, ${state}, ${detail})`);
    const ids = posts.map(({ callId }) => callId);
    const query: RawBuilder<{ id: string }> = sql`
      with ended (id, state, detail) as (values ${sql.join(rows)})
      update call set state = ended.state, detail = ended.detail, ended_at = ${nowMs}
      from ended
      where call.id = ended.id and call.state != 'done' and call.id in (${freeCalls(db, ids)})
      returning call.id`;
    return { compile: () => query.compile(db) };
  },
);

const endFree = preparedForMany((db, leases: readonly Values<Lease>[]) => {
  const rows = leases.map(
    ({ taskId, token, revision }) => sql`(${taskId}, ${token}, cast(${revision} as bigint))`,
  );
  // Waiting for a task that is being scheduled could deadlock with a transaction that schedules several.
  const free = db
    .selectFrom('task')
    .select('id')
    .where(sql<boolean>`(id, lease_token, revision) in (values ${sql.join(rows)})`)
    .forUpdate()
    .skipLocked();
  return db.deleteFrom('task').where('id', 'in', free).returning('id');
});

/**
 * The posts of many lanes at a time: what each costs is mostly the way to the database, and the wait for the disk.
 * Nothing here waits for a lock of somebody else: one lane would hold up the others.
 */
export class Posts {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** The first call of each lane that has no outcome yet, by its lane. Nothing is locked. */
  async next(lanes: readonly string[]): Promise<ReadonlyMap<string, NextPost>> {
    if (lanes.length === 0) return new Map();
    const items = lanes.map((lane) => ({ lane }));
    const rows = await nextInLanes.rows(this.db, items, {});
    return new Map(rows.map(({ data, saved, ...call }) => [call.lane, nextPost(call, data, saved)]));
  }

  /** As `tasks.fence`, but returns those that are held, without those whose tasks somebody else has locked. */
  async fence(leases: readonly Lease[]): Promise<ReadonlySet<Lease>> {
    const rows = await lockLeased.rows(this.db, leases, {});
    const tokens = new Map(rows.map(({ id, lease_token }) => [id, lease_token]));
    return new Set(leases.filter(({ taskId, token }) => tokens.get(taskId) === token));
  }

  /**
   * Marks wanted calls as started, before the requests go out. Returns their ids: not of what is not wanted, or what
   * somebody else has locked.
   */
  async start(callIds: readonly string[], nowMs: number): Promise<ReadonlySet<string>> {
    if (callIds.length === 0) return new Set();
    const calls = callIds.map((id) => ({ id }));
    return idsIn(await startWanted.rows(this.db, calls, { nowMs }));
  }

  /** Returns the ids of the calls that it settled: not of what is done already, or what somebody else has locked. */
  async settle(posts: readonly SettledPost[], nowMs: number): Promise<ReadonlySet<string>> {
    if (posts.length === 0) return new Set();
    return idsIn(await settleMany.rows(this.db, posts, { nowMs }));
  }

  /**
   * Ends tasks whose lanes have no call any more. Returns the ids of those that it ended: not of what was scheduled
   * again, or is being scheduled.
   */
  async endLanes(leases: readonly Lease[]): Promise<ReadonlySet<string>> {
    if (leases.length === 0) return new Set();
    return idsIn(await endFree.rows(this.db, leases, {}));
  }
}

function nextPost(call: CallRow, job: string | null, saved: string | null): NextPost {
  if (job === null) throw new Error(`Call ${call.id} has no job`);
  return {
    call: callFromRow(call),
    job: jobFromJson(job),
    saved: saved === null ? null : settingsFromJson(saved),
  };
}

function idsIn(rows: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => id));
}
