import type { Job } from '../../jobs/job.ts';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import type { LookOutcome } from '../../jobs/schedule/schedule.ts';
import type { JobCursor } from '../../jobs/shown/lists.ts';
import { fromJson, jobFrom, type Queries, toJson } from '../schema/tables.ts';
import { prepared, type Values } from './prepared.ts';
import { Table } from './table.ts';
import { taskId } from './tasks/task.ts';

const SEPARATOR = ':';

interface Named {
  readonly teamId: string;
  /** See `PullRequestLink`. */
  readonly key: string;
}

/** A pull request that is checked, for one workspace. */
export interface WatchedPullRequest extends Named {
  readonly watchedFromMs: number;
  /** When its facts last changed, or null. */
  readonly changedAtMs: number | null;
  /** Of the last check, or null. */
  readonly outcome: LookOutcome | null;
  /** Of how many checks in a row, if it was not seen; else 0. */
  readonly misses: number;
  /** The last seen facts, or null. */
  readonly facts: PullRequestFacts | null;
  /** Left by the last check that saw it; null: nothing. */
  readonly memory: unknown;
}

export type Looked = Pick<WatchedPullRequest, 'changedAtMs' | 'misses'> & {
  readonly outcome: LookOutcome;
  readonly seen: Pick<WatchedPullRequest, 'facts' | 'memory'> | null;
};

export interface PullRequestOfJob {
  readonly jobId: string;
  /** As the job announced it. */
  readonly url: string;
  /** It was announced before anybody looked at it. */
  readonly isOld: boolean;
}

const byName = prepared((db, { teamId, key }: Values<Named>) =>
  db
    .selectFrom('pull_request')
    .selectAll()
    .where((eb) => eb.and({ team_id: teamId, key })),
);

const jobsByName = prepared((db, { teamId, key }: Values<Named>) =>
  db
    .selectFrom('job_pull_request')
    .select(['job_id', 'url', 'is_old'])
    .where((eb) => eb.and({ team_id: teamId, key }))
    // In the lock order of all jobs.
    .orderBy('job_id'),
);

/**
 * Pull requests that are checked, with the jobs that they belong to: one check serves all jobs of a
 * workspace.
 */
export class PullRequests extends Table {
  /** For one that the job just announced: the first check is due now, and the intervals start over. */
  async watch(
    { id: jobId, teamId }: Pick<Job, 'id' | 'teamId'>,
    { key, url }: { readonly key: string; readonly url: string },
    nowMs: number,
  ): Promise<void> {
    await this.db
      .insertInto('pull_request')
      .values({ team_id: teamId, key, watched_from: nowMs, misses: 0 })
      .onConflict((conflict) =>
        conflict.columns(['team_id', 'key']).doUpdateSet({ watched_from: nowMs, misses: 0 }),
      )
      .execute();
    await this.db
      .insertInto('job_pull_request')
      .values({ job_id: jobId, team_id: teamId, key, url, is_old: 0 })
      .onConflict((conflict) => conflict.columns(['job_id', 'key']).doUpdateSet({ url }))
      .execute();
    await this.schedule({ teamId, key }, nowMs, 'replace');
  }

  /** For one that the job announced before its code host was configured. */
  async adopt(
    { id: jobId, teamId, requestedAtMs }: Pick<Job, 'id' | 'teamId' | 'requestedAtMs'>,
    { key, url }: { readonly key: string; readonly url: string },
    lookAtMs: number,
  ): Promise<void> {
    await this.db
      .insertInto('pull_request')
      .values({ team_id: teamId, key, watched_from: requestedAtMs, misses: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.db
      .insertInto('job_pull_request')
      .values({ job_id: jobId, team_id: teamId, key, url, is_old: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.schedule({ teamId, key }, lookAtMs, 'keep');
  }

  /** Jobs since then, the newest first, that announced a pull request, none of which is checked. */
  async jobsWithout(sinceMs: number, before: JobCursor | null, limit: number): Promise<Job[]> {
    const rows = await this.db
      .selectFrom('job')
      .select(['data', 'number'])
      .where('has_pull_request', '=', 1)
      .where('requested_at', '>=', sinceMs)
      .$if(before !== null, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('requested_at', 'id'), '<', eb.tuple(before?.requestedAtMs ?? 0, before?.id ?? '')),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('job_pull_request')
              .select('job_id')
              .whereRef('job_pull_request.job_id', '=', 'job.id'),
          ),
        ),
      )
      .orderBy('requested_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(jobFrom);
  }

  /**
   * Checks again, at once, those announced since then that the last check could not see, given-up ones
   * included, the newest first.
   */
  async retryUnseen(sinceMs: number, limit: number, nowMs: number): Promise<void> {
    const rows = await this.db
      .selectFrom('pull_request')
      .select(['team_id', 'key'])
      .where('outcome', 'in', ['no_access', 'not_found'])
      .where('watched_from', '>=', sinceMs)
      .orderBy('watched_from', 'desc')
      .limit(limit)
      .execute();
    for (const { team_id, key } of rows) {
      await this.tasks.runNowUnlessLocked('look_at_pull_request', team_id + SEPARATOR + key, nowMs);
      await this.schedule({ teamId: team_id, key }, nowMs, 'keep');
    }
  }

  /** @param subject of its task. Null: no job has it any longer. */
  async get(subject: string): Promise<WatchedPullRequest | null> {
    const row = await byName.first(this.db, named(subject));
    if (row === undefined) return null;
    return {
      teamId: row.team_id,
      key: row.key,
      watchedFromMs: row.watched_from,
      changedAtMs: row.changed_at,
      outcome: row.outcome,
      misses: row.misses,
      facts: row.facts === null ? null : fromJson(row.facts),
      memory: row.memory === null ? null : fromJson(row.memory),
    };
  }

  async jobsOf(subject: string): Promise<PullRequestOfJob[]> {
    const rows = await jobsByName.rows(this.db, named(subject));
    return rows.map(({ job_id, url, is_old }) => ({ jobId: job_id, url, isOld: is_old === 1 }));
  }

  async looked(
    subject: string,
    { outcome, misses, changedAtMs, seen }: Looked,
    nowMs: number,
  ): Promise<void> {
    const { teamId, key } = named(subject);
    await this.db
      .updateTable('pull_request')
      .set({
        ...{ outcome, misses, looked_at: nowMs, changed_at: changedAtMs },
        ...(seen !== null && {
          facts: seen.facts === null ? null : toJson(seen.facts),
          memory: seen.memory === null ? null : toJson(seen.memory),
        }),
      })
      .where((eb) => eb.and({ team_id: teamId, key }))
      .execute();
  }

  private schedule({ teamId, key }: Named, runAtMs: number, ifScheduled: 'keep' | 'replace'): Promise<void> {
    const subject = teamId + SEPARATOR + key;
    return this.tasks.schedule({ kind: 'look_at_pull_request', subject, runAtMs, ifScheduled });
  }
}

function named(subject: string): Named {
  const at = subject.indexOf(SEPARATOR);
  return { teamId: subject.slice(0, at), key: subject.slice(at + 1) };
}

/** Those that belong only to these jobs are deleted with them: called before the jobs are deleted. */
export async function namesOfJobs(db: Queries, jobIds: readonly string[]): Promise<readonly Named[]> {
  const rows = await db
    .selectFrom('job_pull_request')
    .select(['team_id', 'key'])
    .distinct()
    .where('job_id', 'in', jobIds)
    .execute();
  return rows.map(({ team_id: teamId, key }) => ({ teamId, key }));
}

/** Deletes those that no job has any longer, with their tasks. */
export async function deleteUnused(db: Queries, names: readonly Named[]): Promise<void> {
  for (const { teamId, key } of names) {
    const { numDeletedRows } = await db
      .deleteFrom('pull_request')
      .where((eb) => eb.and({ team_id: teamId, key }))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('job_pull_request')
              .select('job_id')
              .whereRef('job_pull_request.team_id', '=', 'pull_request.team_id')
              .whereRef('job_pull_request.key', '=', 'pull_request.key'),
          ),
        ),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) continue;
    await db
      .deleteFrom('task')
      .where('id', '=', taskId('look_at_pull_request', teamId + SEPARATOR + key))
      .execute();
  }
}
