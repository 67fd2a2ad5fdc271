import { type SqlBool, sql } from 'kysely';
import type { WatchedLink } from '../../jobs/decision.ts';
import type { Job } from '../../jobs/job.ts';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import type { LookOutcome } from '../../jobs/schedule/schedule.ts';
import type { JobCursor } from '../../jobs/shown/lists.ts';
import { fromJson, jobColumns, jobFrom, type Queries, toJson } from '../schema/tables.ts';
import { isBeyond, Table } from './table.ts';
import { partsOf, subjectIn, taskId } from './tasks/task.ts';

type Named = Readonly<{
  teamId: string;
  key: string;
}>;

/** A pull request that is checked, for one workspace. */
export type WatchedPullRequest = Named &
  Readonly<{
    watchedFromMs: number;
    /** When its facts last changed, or null. */
    changedAtMs: number | null;
    /** Of the last check, or null. */
    outcome: LookOutcome | null;
    /** Of how many checks in a row, if it was not seen; else 0. */
    misses: number;
    /** The last seen facts, or null. */
    facts: PullRequestFacts | null;
    /** Left by the last check that saw it; null: nothing. */
    memory: unknown;
  }>;

export type Looked = Pick<WatchedPullRequest, 'changedAtMs' | 'misses'> & {
  readonly outcome: LookOutcome;
  readonly seen: Pick<WatchedPullRequest, 'facts' | 'memory'> | null;
};

/**
 * Pull requests that are checked, with the jobs that they belong to: one check serves all jobs of a
 * workspace.
 */
export class PullRequests extends Table {
  /** For one that the job just announced: the first check is due now, and the intervals start over. */
  async watch(job: Pick<Job, 'id' | 'teamId'>, link: WatchedLink, nowMs: number): Promise<void> {
    await this.add(job, link, nowMs, true);
    await this.schedule(job.teamId, link.key, nowMs, 'replace');
  }

  /** For one that the job announced before its code host was configured. */
  async adopt(
    job: Pick<Job, 'id' | 'teamId' | 'requestedAtMs'>,
    link: WatchedLink,
    lookAtMs: number,
  ): Promise<void> {
    await this.add(job, link, job.requestedAtMs, false);
    await this.schedule(job.teamId, link.key, lookAtMs, 'keep');
  }

  /** `isNew`: just announced, so a known one starts over. */
  private async add(
    { id: jobId, teamId }: Pick<Job, 'id' | 'teamId'>,
    { key, url }: WatchedLink,
    watchedFrom: number,
    isNew: boolean,
  ): Promise<void> {
    const fresh = { watchedFrom, misses: 0 };
    await this.upsert('pullRequest', { teamId, key }, fresh, isNew ? fresh : null);
    const values = { teamId, url, isOld: isNew ? 0 : 1 };
    await this.upsert('jobPullRequest', { jobId, key }, values, isNew ? { url } : null);
  }

  /** Jobs since then, the newest first, that announced a pull request, none of which is checked. */
  async jobsWithout(sinceMs: number, before: JobCursor | null, limit: number): Promise<Job[]> {
    const rows = await this.db
      .selectFrom('job')
      .select(jobColumns)
      .where('hasPullRequest', '=', 1)
      .where('requestedAt', '>=', sinceMs)
      .where(isBeyond(['requestedAt', 'id'], before && [before.requestedAtMs, before.id], '<'))
      .where(sql<SqlBool>`not exists (select 1 from job_pull_request where job_pull_request.job_id = job.id)`)
      .orderBy('requestedAt', 'desc')
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
      .selectFrom('pullRequest')
      .select(['teamId', 'key'])
      .where('outcome', 'in', ['no_access', 'not_found'])
      .where('watchedFrom', '>=', sinceMs)
      .orderBy('watchedFrom', 'desc')
      .limit(limit)
      .execute();
    for (const { teamId, key } of rows) {
      await this.tasks.runNowUnlessLocked('look_at_pull_request', subjectIn(teamId, key), nowMs);
      await this.schedule(teamId, key, nowMs, 'keep');
    }
  }

  /** @param subject of its task. Null: no job has it any longer. */
  async get(subject: string): Promise<WatchedPullRequest | null> {
    const { teamId, name: key } = partsOf(subject);
    const row = await this.row('pullRequest', { teamId, key });
    if (row === undefined) return null;
    const { watchedFrom: watchedFromMs, changedAt: changedAtMs, outcome, misses, facts, memory } = row;
    return {
      ...{ teamId, key, watchedFromMs, changedAtMs, outcome, misses },
      facts: facts && fromJson(facts),
      memory: memory && fromJson(memory),
    };
  }

  /** With its URL as the job announced it. `isOld`: that was before anybody looked at it. */
  async jobsOf(subject: string) {
    const { teamId, name: key } = partsOf(subject);
    const rows = await this.db
      .selectFrom('jobPullRequest')
      .select(['jobId', 'url', 'isOld'])
      .where((eb) => eb.and({ teamId, key }))
      // In the lock order of all jobs.
      .orderBy('jobId')
      .execute();
    return rows.map((row) => ({ ...row, isOld: row.isOld === 1 }));
  }

  async looked(
    subject: string,
    { outcome, misses, changedAtMs, seen }: Looked,
    nowMs: number,
  ): Promise<void> {
    const { teamId, name: key } = partsOf(subject);
    await this.db
      .updateTable('pullRequest')
      .set({
        outcome,
        misses,
        lookedAt: nowMs,
        changedAt: changedAtMs,
        ...(seen !== null && {
          facts: seen.facts === null ? null : toJson(seen.facts),
          memory: seen.memory === null ? null : toJson(seen.memory),
        }),
      })
      .where((eb) => eb.and({ teamId, key }))
      .execute();
  }

  private schedule(
    teamId: string,
    key: string,
    runAtMs: number,
    ifScheduled: 'keep' | 'replace',
  ): Promise<void> {
    const subject = subjectIn(teamId, key);
    return this.tasks.schedule({ kind: 'look_at_pull_request', subject, runAtMs, ifScheduled });
  }
}

/** Those that belong only to these jobs are deleted with them: called before the jobs are deleted. */
export async function namesOfJobs(db: Queries, jobIds: readonly string[]): Promise<readonly Named[]> {
  return db
    .selectFrom('jobPullRequest')
    .select(['teamId', 'key'])
    .distinct()
    .where('jobId', 'in', jobIds)
    .execute();
}

/** Deletes those that no job has any longer, with their tasks. */
export async function deleteUnused(db: Queries, names: readonly Named[]): Promise<void> {
  for (const { teamId, key } of names) {
    const { numDeletedRows } = await db
      .deleteFrom('pullRequest')
      .where((eb) => eb.and({ teamId, key }))
      .where(
        sql<SqlBool>`not exists (
          select 1 from job_pull_request as kept
          where kept.team_id = pull_request.team_id and kept.key = pull_request.key
        )`,
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) continue;
    const task = taskId('look_at_pull_request', subjectIn(teamId, key));
    await db.deleteFrom('task').where('id', '=', task).execute();
  }
}
