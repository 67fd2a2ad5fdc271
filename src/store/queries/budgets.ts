import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Job } from '#jobs/job.ts';
import type { CallPause, InBudgetQueue } from '#jobs/schedule/hourly-budget.ts';
import { CLOCKS_DIFFER_MS } from '#jobs/schedule/schedule.ts';
import { type Slowdown, shownWhilePaused } from '#jobs/schedule/slowdown.ts';
import { exactly, type Tables } from '../schema/tables.ts';
import { IS_IN_BUDGET } from './calls.ts';
import { idsOf, prepared } from './prepared.ts';
import { Table } from './table.ts';

export type ProjectPause = Readonly<{ projectId: string; atMs: number; untilMs: number }>;

/**
 * A call in flight does not wait but keeps its place: it may be refused. Replies may have been withdrawn, or
 * wait for their job.
 */
const STILL_WAITS = sql<SqlBool>`(
  exists (
    select 1 from call
    where call.lane = 'agent:' || budget_queue.job_id and ended_at is null and call.kind = budget_queue.kind
  ) or kind = 'send_message' and agent_job_id is not null and exists (
    select 1 from follow_up where follow_up.job_id = budget_queue.job_id and state = 'waiting'
  )
) and not exists (
  select 1 from call where call.lane = 'agent:' || budget_queue.job_id and ended_at is null and state = 'started'
)`;

/** 1 or 0, like `isUnattended`. JSON escapes each `"` in a text. */
const IS_UNATTENDED = sql<number>`
  case when requester_id = '' and data not like '%"isStartedByPerson":true%' then 1 else 0 end`;

const waitingIn = prepared((db, { projectId }: { projectId: string }) =>
  db
    .selectFrom('budgetQueue')
    .innerJoin('job', 'job.id', 'budgetQueue.jobId')
    .select(['jobId', 'kind', 'passedUntil as passedUntilMs', IS_UNATTENDED.as('unattended')])
    .where('budgetQueue.projectId', '=', projectId)
    .where(STILL_WAITS)
    .orderBy('seq'),
);

const joinQueue = prepared(
  (_db, { callId }: { callId: string }) => sql`
    insert into budget_queue (job_id, kind, project_id, seq)
    select job_id, kind, project_id, seq from call where id = ${callId} and ${IS_IN_BUDGET}
    on conflict (job_id, kind) do nothing`,
);

const lockPause = prepared((db, { projectId }: { projectId: string }) =>
  db.selectFrom('callPause').selectAll().where('projectId', '=', projectId).forUpdate(),
);

/** A job keeps its place even if the replies of a dropped call go out with another. */
export class BudgetQueue extends Table {
  async join(callId: string): Promise<void> {
    await joinQueue(this.db, { callId });
  }

  /** Oldest first. */
  async waiting(projectId: string): Promise<InBudgetQueue[]> {
    const rows = await waitingIn(this.db, { projectId });
    return rows.map(({ unattended, ...waiting }) => ({ ...waiting, isUnattended: unattended === 1 }));
  }

  async leave(callId: string): Promise<void> {
    await this.delete(
      'budgetQueue',
      {},
      sql`(job_id, kind) in (select job_id, kind from call where id = ${callId})`,
    );
  }

  async pass(jobs: readonly Pick<InBudgetQueue, 'jobId' | 'kind'>[], untilMs: number): Promise<void> {
    for (const { jobId, kind } of jobs) {
      await this.update('budgetQueue', { jobId, kind }, { passedUntil: untilMs });
    }
  }

  /**
   * An answer skips a locked task that it would wake, so a task must not decide to wait at the same moment. The
   * caller holds the job's lock.
   */
  async lockPause(projectId: string, nowMs: number): Promise<CallPause | null> {
    const [row] = await lockPause(this.db, { projectId });
    // A clock that was ahead set it, so it is over.
    if (row === undefined || row.at > nowMs + CLOCKS_DIFFER_MS) return null;
    return { atMs: row.at, untilMs: row.until, refusals: row.refusals };
  }

  paused(nowMs: number): Promise<ProjectPause[]> {
    return callPauses(this.db, { nowMs, latestMs: nowMs + CLOCKS_DIFFER_MS });
  }

  async changePause(
    projectId: string,
    change: (before: CallPause | null) => CallPause | null,
    nowMs: number,
  ): Promise<CallPause | null> {
    const before = await this.lockPause(projectId, nowMs);
    const after = change(before);
    if (after === before) return after;
    if (after === null) await this.delete('callPause', { projectId });
    else {
      const { atMs: at, untilMs: until, refusals } = after;
      await this.upsert('callPause', { projectId }, { at, until, refusals });
    }
    return after;
  }
}

const pausesIn = (pauses: RawBuilder<unknown>) =>
  prepared(
    (_db, { nowMs, latestMs }: { nowMs: number; latestMs: number }) => sql<ProjectPause>`
      select project_id, at as at_ms, until as until_ms from (${pauses}) as pause
      where until > ${nowMs} and at <= ${latestMs} order by project_id`,
  );
const readUses = prepared((db, _values, projects: readonly { id: string }[]) =>
  db.selectFrom('readBudget').selectAll().where('projectId', 'in', idsOf(projects)),
);

/** `distinct`: lists are padded. `wholeAt`: see `exactly`. */
const putUses = prepared(
  (_db, _values, uses: readonly { id: string; wholeAt: string }[]) => sql`
    insert into read_budget (project_id, whole_at)
    select distinct column1, cast(column2 as double precision)
    from (values ${sql.join(uses.map(({ id, wholeAt }) => sql`(${id}, ${wholeAt})`))}) as used
    where true
    on conflict (project_id) do update set whole_at = excluded.whole_at`,
);

const callPauses = pausesIn(sql`select project_id, at, until from call_pause`);
const readPauses = pausesIn(sql`select project_id, slowed_at as at, slowed_until as until from read_budget`);

/** No allowance takes longer to recover: later times are from a clock that was ahead. */
const FURTHEST_AHEAD_MS = 120_000;

export class ReadBudget extends Table {
  /** Locks all projects. */
  async of(projectIds: readonly string[], nowMs: number) {
    await this.tasks.takeLock('reads');
    const projects = projectIds.map((id) => ({ id }));
    const rows = await readUses(this.db, {}, projects);
    const known = new Map(rows.map((row) => [row.projectId, readUseFrom(row, nowMs)]));
    return (projectId: string) => known.get(projectId) ?? UNUSED;
  }

  paused(nowMs: number): Promise<ProjectPause[]> {
    return readPauses(this.db, { nowMs, latestMs: nowMs + FURTHEST_AHEAD_MS });
  }

  async shown(jobs: readonly Job[], nowMs: number): Promise<Job[]> {
    const pauses = await this.paused(nowMs);
    return jobs.map((job) => {
      const pause = pauses.find(({ projectId }) => projectId === job.projectId);
      return pause === undefined ? job : shownWhilePaused(job, pause);
    });
  }

  /** Ends a pause that began before the accepted request. Returns whether there was one. */
  endPause(projectId: string, askedAtMs: number, nowMs: number): Promise<boolean> {
    const isEarlier = sql<SqlBool>`slowed_until > ${nowMs} and slowed_at < ${askedAtMs}`;
    return this.update('readBudget', { projectId }, { slowedUntil: nowMs }, isEarlier);
  }

  async put(wholeAtMs: ReadonlyMap<string, number>): Promise<void> {
    const uses = [...wholeAtMs].map(([id, atMs]) => ({ id, wholeAt: String(atMs) }));
    await putUses(this.db, {}, uses);
  }

  async slowDown(
    projectId: string,
    change: (before: Slowdown | null) => Slowdown,
    nowMs: number,
  ): Promise<Slowdown> {
    const { wholeAtMs, slowdown } = (await this.of([projectId], nowMs))(projectId);
    const after = change(slowdown);
    const columns = {
      slowedAt: after.atMs,
      slowedShare: exactly(after.share),
      slowedUntil: after.untilMs,
    };
    await this.upsert('readBudget', { projectId }, { wholeAt: exactly(wholeAtMs), ...columns }, columns);
    return after;
  }
}

const UNUSED: ReturnType<typeof readUseFrom> = { wholeAtMs: 0, slowdown: null };

function readUseFrom(row: Tables['readBudget'], nowMs: number) {
  const { wholeAt, slowedAt: atMs, slowedShare: share, slowedUntil: untilMs } = row;
  const latestMs = nowMs + FURTHEST_AHEAD_MS;
  const isSlowed = atMs !== null && share !== null && untilMs !== null && atMs <= latestMs;
  return {
    wholeAtMs: wholeAt <= latestMs ? wholeAt : 0,
    slowdown: isSlowed ? { atMs, share, untilMs } : null,
  };
}
