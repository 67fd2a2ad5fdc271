import type { Job } from '#jobs/job.ts';
import type { PullRequestFacts } from '#jobs/pull-requests/pull-request.ts';
import { Table } from '#store/queries/table.ts';
import { partsOf, subjectIn } from '#store/queries/task.ts';
import { fromJson, toJson } from '#store/schema/tables.ts';
import type { CheckedPullRequest } from './decide.ts';

export type Check = Pick<CheckedPullRequest, 'outcome' | 'misses' | 'changedAtMs'> & {
  readonly seen: { readonly facts: PullRequestFacts; readonly memory: unknown } | null;
};

/** A check serves all jobs of a workspace. `subject`: its task's. */
export class PullRequests extends Table {
  /** Restarts the intervals. */
  async watch(
    { id: jobId, teamId }: Pick<Job, 'id' | 'teamId'>,
    { key, url }: Readonly<{ key: string; url: string }>,
    checkAtMs: number,
  ): Promise<void> {
    await this.upsert('pullRequest', { teamId, key }, { watchedFrom: checkAtMs, misses: 0 });
    await this.upsert('jobPullRequest', { jobId, key }, { teamId, url }, { url });
    const subject = subjectIn(teamId, key);
    const task = { kind: 'look_at_pull_request', subject, runAtMs: checkAtMs } as const;
    await this.tasks.schedule({ ...task, ifScheduled: 'replace' });
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
    return (
      this.db
        .selectFrom('jobPullRequest')
        .select(['jobId', 'url'])
        .where((eb) => eb.and(keyIn(subject)))
        // In the lock order of all jobs.
        .orderBy('jobId')
        .execute()
    );
  }

  async recordCheck(subject: string, { changedAtMs: changedAt, seen, ...check }: Check): Promise<void> {
    const facts = seen && { facts: toJson(seen.facts), memory: toJson(seen.memory) };
    await this.update('pullRequest', keyIn(subject), { ...check, changedAt, ...facts });
  }
}

function keyIn(subject: string) {
  const { teamId, name: key } = partsOf(subject);
  return { teamId, key };
}
