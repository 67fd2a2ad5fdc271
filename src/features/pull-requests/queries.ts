import { type SqlBool, sql } from 'kysely';
import type { Job } from '#jobs/job.ts';
import type { PullRequestFacts } from '#jobs/pull-requests/pull-request.ts';
import { isBeyond, Table } from '#store/queries/table.ts';
import { partsOf, subjectIn } from '#store/queries/task.ts';
import { fromJson, jobColumns, jobFrom, toJson } from '#store/schema/tables.ts';
import type { CheckedPullRequest } from './decide.ts';

export type Check = Pick<CheckedPullRequest, 'outcome' | 'misses' | 'changedAtMs'> & {
  readonly seen: { readonly facts: PullRequestFacts; readonly memory: unknown } | null;
};

/** A check serves all jobs of a workspace. `subject`: its task's. */
export class PullRequests extends Table {
  /**
   * Restarts the intervals.
   * @param isOld announced before its code host was configured: keeps an existing watch
   */
  async watch(
    { id: jobId, teamId, requestedAtMs }: Pick<Job, 'id' | 'teamId' | 'requestedAtMs'>,
    { key, url }: Readonly<{ key: string; url: string }>,
    checkAtMs: number,
    isOld = false,
  ): Promise<void> {
    const fresh = { watchedFrom: isOld ? requestedAtMs : checkAtMs, misses: 0 };
    await this.upsert('pullRequest', { teamId, key }, fresh, isOld ? null : fresh);
    const values = { teamId, url, isOld: isOld ? 1 : 0 };
    await this.upsert('jobPullRequest', { jobId, key }, values, isOld ? null : { url });
    await this.schedule(teamId, key, checkAtMs, isOld ? 'keep' : 'replace');
  }

  /** Newest first. */
  async jobsWithout(sinceMs: number, before: Job | null, limit: number): Promise<Job[]> {
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

  /** Includes those whose checks had ended. */
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

  /** `facts`, `memory`: of the last check that saw it. Null: no job has it. */
  async get(subject: string) {
    const row = await this.row('pullRequest', keyIn(subject));
    if (row === undefined) return null;
    const { watchedFrom: watchedFromMs, changedAt: changedAtMs, outcome, facts, memory, ...rest } = row;
    return {
      ...{ ...rest, watchedFromMs, changedAtMs, outcome: outcome as CheckedPullRequest['outcome'] | null },
      facts: facts && fromJson(facts),
      memory: memory && fromJson(memory),
    };
  }

  async jobsOf(subject: string) {
    const rows = await this.db
      .selectFrom('jobPullRequest')
      .select(['jobId', 'url', 'isOld'])
      .where((eb) => eb.and(keyIn(subject)))
      // In the lock order of all jobs.
      .orderBy('jobId')
      .execute();
    return rows.map((row) => ({ ...row, isOld: row.isOld === 1 }));
  }

  async recordCheck(subject: string, { changedAtMs: changedAt, seen, ...check }: Check): Promise<void> {
    const facts = seen && { facts: toJson(seen.facts), memory: toJson(seen.memory) };
    await this.update('pullRequest', keyIn(subject), { ...check, changedAt, ...facts });
  }

  private schedule(teamId: string, key: string, runAtMs: number, ifScheduled: 'keep' | 'replace') {
    const subject = subjectIn(teamId, key);
    return this.tasks.schedule({ kind: 'look_at_pull_request', subject, runAtMs, ifScheduled });
  }
}

function keyIn(subject: string) {
  const { teamId, name: key } = partsOf(subject);
  return { teamId, key };
}
