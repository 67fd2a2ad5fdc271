import { type SqlBool, sql } from 'kysely';
import { type TaskKind, taskFacts } from '#jobs/task-kinds.ts';
import type { TaskGroup } from '../schema/tables.ts';
import { idsOf, prepared } from './prepared.ts';

export function taskId(kind: TaskKind, subject: string): string {
  return `${kind}:${subject}`;
}

export function subjectIn(teamId: string, name: string): string {
  return `${teamId}:${name}`;
}

export function partsOf(subject: string): { readonly teamId: string; readonly name: string } {
  const at = subject.indexOf(':');
  return { teamId: subject.slice(0, at), name: subject.slice(at + 1) };
}

/** The group and its parents: `T1/` and `T1/C1/`. */
export function levelsOf(group: TaskGroup): readonly TaskGroup[] {
  const levels = [];
  for (let end = group.indexOf('/'); end >= 0; end = group.indexOf('/', end + 1)) {
    levels.push(group.slice(0, end + 1));
  }
  return levels;
}

export type NewTask = Readonly<{
  kind: TaskKind;
  subject: string;
  runAtMs: number;
  ifScheduled: 'keep' | 'replace';
}>;

export type ClaimedTask = Readonly<{
  kind: TaskKind;
  subject: string;
  /** Consecutive retries. */
  attempts: number;
  dueAtMs: number;
  /** An unanswered request may still arrive until then. */
  unknownUntilMs: number | null;
  group: TaskGroup;
  lease: Lease;
}>;

/** `id`: the task's. */
export type Lease = Readonly<{
  id: string;
  token: string;
  /** Changes when the task is rescheduled. */
  revision: number;
}>;

/** Another worker took over: write nothing. */
export class LeaseLostError extends Error {
  constructor(taskId: string) {
    super(`lease of task ${taskId} was lost`);
    this.name = 'LeaseLostError';
  }
}

export function newValues(kind: TaskKind, subject: string, runAtMs: number) {
  return { id: taskId(kind, subject), kind, subject, runAt: runAtMs, ...ownerValues(kind, subject) };
}

function ownerValues(kind: TaskKind, subject: string) {
  const { about, sharedIn } = taskFacts(kind);
  if (about === 'job') return { jobId: subject };
  if (about === 'lane') {
    const [, jobId = subject, channelId] = subject.split(':');
    return channelId === undefined ? { jobId } : { jobId, channelId };
  }
  const [, host = ''] = /https?:\/\/([^/]+)/.exec(subject) ?? [];
  return { groupKey: `${sharedIn === 'code_host' ? host : subject.replaceAll(':', '/')}/` };
}

type NewValues = Omit<ReturnType<typeof newValues>, 'jobId' | 'channelId' | 'groupKey'> &
  Readonly<{ jobId?: string; channelId?: string; groupKey?: TaskGroup }>;

/** Takes placeholders for values, too: it must not compute with them. */
export function newColumns(kind: TaskKind, { jobId, channelId, ...values }: NewValues) {
  const columns = { ...values, attempts: 0, revision: 1 };
  if (jobId === undefined) return columns;
  // A job's project, workspace and channel never change.
  const channel = channelId === undefined ? sql`channel_id` : sql`cast(${channelId} as text)`;
  const isOfProject = taskFacts(kind).sharedIn === 'project';
  const group = isOfProject ? sql`project_id || '/'` : sql`team_id || '/' || ${channel} || '/'`;
  return {
    ...columns,
    jobId: sql<string | null>`(select id from job where id = ${jobId})`,
    groupKey: sql<TaskGroup>`coalesce((select ${group} from job where id = ${jobId}), '')`,
  };
}

export type Due = Readonly<{
  kind: TaskKind;
  nowMs: number;
  leaseNowMs: number;
  limit: number;
}>;

const isFree = (leaseNowMs: number) => sql<SqlBool>`(lease_until is null or lease_until <= ${leaseNowMs})`;

/** Each kind has its own range of the index. */
export const dueTasks = prepared((db, { kind, nowMs, leaseNowMs, limit }: Due) =>
  db
    .selectFrom('task')
    .selectAll()
    .where('kind', '=', kind)
    .where('runAt', '<=', nowMs)
    .where(isFree(leaseNowMs))
    .orderBy('runAt')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
);

/** At most `ofEach` per group. A backlog in other groups costs nothing. */
export const dueTasksOf = prepared(
  (
    db,
    { kind, nowMs, leaseNowMs, limit, ofEach }: Due & { readonly ofEach: number },
    groups: readonly { group: TaskGroup }[],
  ) => {
    const isDue = sql<SqlBool>`run_at <= ${nowMs} and ${isFree(leaseNowMs)}`;
    const ids = groups.map(
      ({ group }) => sql`
        select id from (
          select id from task where kind = ${kind} and group_key = ${group} and ${isDue}
          order by run_at limit cast(${ofEach} as bigint)
        ) as first_of_group`,
    );
    return (
      db
        .selectFrom('task')
        .selectAll()
        .where(sql<SqlBool>`id in (${sql.join(ids, sql` union all `)})`)
        // Checked again under the lock. With the kind, SQLite would scan all due tasks.
        .where(isDue)
        .orderBy('runAt')
        .limit(limit)
        .forUpdate()
        .skipLocked()
    );
  },
);

/** Skips from group to group in the index. */
export const groupHeads = prepared(
  (_db, { kind, leaseNowMs }: Pick<Due, 'kind' | 'leaseNowMs'>) =>
    sql<{ groupKey: TaskGroup; runAt: number | null }>`
      with recursive groups (group_key) as (
        select min(group_key) from task where kind = ${kind}
        union all
        select (select min(group_key) from task where kind = ${kind} and group_key > groups.group_key)
        from groups where groups.group_key is not null
      )
      select group_key, (
        select run_at from task
        where kind = ${kind} and task.group_key = groups.group_key and ${isFree(leaseNowMs)}
        order by run_at limit 1
      ) as run_at
      from groups where group_key is not null`,
);

export const leaseTasks = prepared(
  (db, { token, untilMs }: { token: string; untilMs: number }, tasks: readonly { id: string }[]) =>
    db.updateTable('task').set({ leaseToken: token, leaseUntil: untilMs }).where('id', 'in', idsOf(tasks)),
);

export const firstFreeTasks = prepared(
  (_db, { leaseNowMs }: { leaseNowMs: number }, kinds: readonly { kind: TaskKind }[]) => {
    const firsts = kinds.map(
      ({ kind }) => sql`
        select kind, run_at from (
          select kind, run_at from task where kind = ${kind} and ${isFree(leaseNowMs)} order by run_at limit 1
        ) as first_of_kind`,
    );
    return sql<{ kind: TaskKind; runAt: number }>`${sql.join(firsts, sql` union all `)}`;
  },
);

/**
 * The weakest lock that blocks a takeover. A stronger one could deadlock: rescheduling would wait for this
 * transaction, which may need the job's lock next.
 */
export const heldTask = prepared((db, { id, token }: Lease) =>
  db.selectFrom('task').select('id').where('id', '=', id).where('leaseToken', '=', token).forKeyShare(),
);

export const deleteTask = prepared((db, { id, token, revision }: Lease) =>
  db
    .deleteFrom('task')
    .where('id', '=', id)
    .where('leaseToken', '=', token)
    .where('revision', '=', revision)
    .returning('id'),
);
