import { type SqlBool, sql } from 'kysely';
import { jobColumns, jobFrom } from '../schema/tables.ts';
import { isUnsent } from './follow-ups.ts';
import { savedFrom, savedSettings } from './jobs.ts';
import { idsOf, prepared } from './prepared.ts';
import { Table } from './table.ts';
import { type Lease, newColumns, newValues } from './task.ts';

export type CheckKind = 'check_job' | 'check_ended_job';

const MOST_CARDS = 250;

export type WatchedJob = ReturnType<typeof watchedFrom>;

export type UnchangedCheck = Readonly<{
  kind: CheckKind;
  lease: Lease;
  nextCheckAtMs: number;
}>;

const jobsToCheck = prepared((db, _values, jobs: readonly { id: string }[]) =>
  db
    .selectFrom('job')
    .select([
      'id',
      ...jobColumns,
      savedSettings,
      sql<SqlBool>`exists (select 1 from follow_up where follow_up.job_id = job.id and ${isUnsent})`.as(
        'hasUnsent',
      ),
    ])
    .where('id', 'in', idsOf(jobs)),
);

const endUnchangedChecks = prepared(
  (_db, { nowMs }: { nowMs: number }, checks: readonly (Lease & { runAtMs: number })[]) => {
    const rows = checks.map(
      ({ id, token, revision, runAtMs }) =>
        sql`(${id}, ${token}, cast(${revision} as bigint), cast(${runAtMs} as bigint))`,
    );
    return sql<{ id: string }>`
      with done (id, token, revision, run_at) as (values ${sql.join(rows)})
      update task
      set run_at = done.run_at, last_run_at = ${nowMs}, lease_token = null, lease_until = null, attempts = 0,
        failing_since = null, failure = null
      from done
      where task.id = done.id and task.lease_token = done.token and task.revision = done.revision
      returning task.id`;
  },
);

function watchedFrom({ saved, hasUnsent, ...row }: JobToCheck) {
  return {
    job: jobFrom(row),
    saved: savedFrom(saved),
    /** Whether replies may be unsent. */
    hasUnsent: Boolean(hasUnsent),
  };
}

type JobToCheck = Awaited<ReturnType<typeof jobsToCheck>>[number];

export class Checks extends Table {
  /** By id. Locks nothing. */
  async read(jobIds: readonly string[]): Promise<ReadonlyMap<string, WatchedJob>> {
    const jobs = jobIds.map((id) => ({ id }));
    const rows = await jobsToCheck(this.db, {}, jobs);
    return new Map(rows.map((row) => [row.id, watchedFrom(row)]));
  }

  /** Only if the lease is held and the check was not rescheduled. Returns the ids of the changed tasks. */
  async endUnchanged(checks: readonly UnchangedCheck[], nowMs: number): Promise<ReadonlySet<string>> {
    const held = checks.map(({ lease, nextCheckAtMs }) => ({ ...lease, runAtMs: nextCheckAtMs }));
    const ended = await endUnchangedChecks(this.db, { nowMs }, held);
    for (const { kind, nextCheckAtMs } of checks) this.tasks.noteScheduled(kind, nextCheckAtMs);
    return new Set(ended.map(({ id }) => id));
  }

  /** The newest open jobs only: as many as Slack takes edits in five minutes. */
  async refreshCardsOf(projectId: string, nowMs: number): Promise<void> {
    const jobs = await this.db
      .selectFrom('task')
      .innerJoin('job', 'job.id', 'task.subject')
      .select('job.id')
      .where('kind', '=', 'check_job')
      .where('groupKey', '=', `${projectId}/`)
      .orderBy('requestedAt', 'desc')
      .limit(MOST_CARDS)
      .execute();
    if (jobs.length === 0) return;
    await this.tasks.runNowUnlessLocked('refresh_card', idsOf(jobs), nowMs);
    const tasks = jobs.map(({ id }) => newColumns('refresh_card', newValues('refresh_card', id, nowMs)));
    await this.db
      .insertInto('task')
      // Sorted to avoid deadlocks on the jobs.
      .values(tasks.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    this.tasks.noteScheduled('refresh_card', nowMs);
  }
}
