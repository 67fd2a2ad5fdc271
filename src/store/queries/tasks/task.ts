import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import { type TaskFacts, type TaskKind, taskFacts } from '../../../jobs/task-kinds.ts';
import type { Tables, TaskGroup } from '../../schema/tables.ts';
import { type Given, idsOf, prepared, preparedForMany, type Values } from '../prepared.ts';

/** There is at most one task of a kind for a subject. */
export function taskId(kind: TaskKind, subject: string): string {
  return `${kind}:${subject}`;
}

/** The subject of a task about something in a workspace. */
export function subjectIn(teamId: string, name: string): string {
  return `${teamId}:${name}`;
}

export function partsOf(subject: string): readonly [teamId: string, name: string] {
  const at = subject.indexOf(':');
  return [subject.slice(0, at), subject.slice(at + 1)];
}

/** The group and those that contain it: `T1/` and `T1/C1/`. */
export function levelsOf(group: TaskGroup): readonly TaskGroup[] {
  const levels: TaskGroup[] = [];
  for (let at = group.indexOf('/'); at !== -1; at = group.indexOf('/', at + 1)) {
    levels.push(group.slice(0, at + 1));
  }
  return levels;
}

export interface NewTask {
  readonly kind: TaskKind;
  readonly subject: string;
  readonly runAtMs: number;
  readonly ifScheduled: 'keep' | 'replace';
}

export interface ClaimedTask {
  readonly kind: TaskKind;
  readonly subject: string;
  /** Consecutive retries. */
  readonly attempts: number;
  readonly dueAtMs: number;
  /** Until then, an unanswered request of it may still arrive. */
  readonly unknownUntilMs: number | null;
  readonly group: TaskGroup;
  readonly lease: Lease;
}

export interface Lease {
  readonly taskId: string;
  /** New at each claim. */
  readonly token: string;
  /** Changes when the task is scheduled again. */
  readonly revision: number;
}

/** Another worker took over the task: nothing may be written. */
export class LeaseLostError extends Error {
  constructor(taskId: string) {
    super(`lease of task ${taskId} was lost`);
    this.name = 'LeaseLostError';
  }
}

/** The job that a task belongs to, and what else decides its group. */
export interface TaskOwner {
  readonly jobId: string | null;
  /** 1: the group is the job's project. 0: it is its channel. */
  readonly isOfProject: number;
  /** Replaces the job's channel. */
  readonly channelId: string | null;
  /** Without a job. */
  readonly otherwise: TaskGroup;
}

export function ownerOfTask(kind: TaskKind, subject: string): TaskOwner {
  const { about, sharedIn } = taskFacts(kind);
  const parts = subject.split(':');
  const [, jobId = subject, channelId = null] = about === 'lane' ? parts : [];
  const hasJob = about === 'job' || about === 'lane';
  return {
    jobId: hasJob ? jobId : null,
    isOfProject: sharedIn === 'project' ? 1 : 0,
    channelId,
    otherwise: hasJob ? '' : groupWithoutJob(sharedIn, subject),
  };
}

function groupWithoutJob(sharedIn: TaskFacts['sharedIn'], subject: string): TaskGroup {
  if (sharedIn !== 'code_host') return `${subject.split(':').join('/')}/`;
  const [, host = ''] = /https?:\/\/([^/]+)/.exec(subject) ?? [];
  return `${host}/`;
}

/** Columns by owner; without the job, a task belongs to none. A job's project, workspace and channel never change. */
export function ownerColumns(owner: { readonly [Name in keyof TaskOwner]: Expression<TaskOwner[Name]> }): {
  readonly jobId: RawBuilder<string | null>;
  readonly groupKey: RawBuilder<TaskGroup>;
} {
  return {
    jobId: sql`(select job.id from job where job.id = ${owner.jobId})`,
    groupKey: sql`coalesce((
      select case when ${owner.isOfProject} = 1 then job.project_id || '/'
        else job.team_id || '/' || coalesce(${owner.channelId}, job.channel_id) || '/' end
      from job where job.id = ${owner.jobId}
    ), ${owner.otherwise})`,
  };
}

/** In random order, so that none is always the last. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

interface Group {
  readonly group: TaskGroup;
}

export interface Due {
  readonly kind: TaskKind;
  readonly nowMs: number;
  readonly leaseNowMs: number;
  readonly limit: number;
}

const isFree = (leaseNowMs: Expression<number>) =>
  sql<SqlBool>`(lease_until is null or lease_until <= ${leaseNowMs})`;

const CLAIMED = [
  'id',
  'kind',
  'subject',
  'runAt',
  'attempts',
  'revision',
  'leaseToken',
  'groupKey',
  'unknownUntil',
] as const;

/** Per kind, as each kind has its own range of the index. */
export const dueTasks = prepared((db, { kind, nowMs, leaseNowMs, limit }: Values<Due>) =>
  db
    .selectFrom('task')
    .select(CLAIMED)
    .where('kind', '=', kind)
    .where('runAt', '<=', nowMs)
    .where(isFree(leaseNowMs))
    .orderBy('runAt')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
);

/** As `dueTasks`, of these groups only, so many of each at most; a backlog in other groups costs nothing. */
export const dueTasksOf = preparedForMany(
  (
    db,
    groups: readonly Values<Group>[],
    { kind, nowMs, leaseNowMs, limit, ofEach }: Values<Due & { readonly ofEach: number }>,
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
        .select(CLAIMED)
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

/** When the first free task of each group is due. Leaps from group to group in the index. */
export const groupHeads = prepared(
  (db, { kind, leaseNowMs }: Values<{ kind: TaskKind; leaseNowMs: number }>) => {
    const query: RawBuilder<{ groupKey: TaskGroup; runAt: number | null }> = sql`
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
      from groups where group_key is not null`;
    return { compile: () => query.compile(db) };
  },
);

export const leaseTasks = preparedForMany(
  (
    db,
    tasks: readonly Values<{ id: string }>[],
    { token, untilMs }: Values<{ token: string; untilMs: number }>,
  ) => db.updateTable('task').set({ leaseToken: token, leaseUntil: untilMs }).where('id', 'in', idsOf(tasks)),
);

export const runTaskNow = prepared((db, { id, nowMs }: Values<{ id: string; nowMs: number }>) =>
  db
    .updateTable('task')
    .set({ runAt: nowMs })
    .where('id', '=', id)
    .where('runAt', '>', nowMs)
    .where('attempts', '=', 0)
    .where('leaseToken', 'is', null),
);

type TaskToRun = { readonly id: string; readonly nowMs: number; readonly minAttempts: number };

export const runTaskNowUnlessLocked = prepared((db, { id, nowMs, minAttempts }: Values<TaskToRun>) =>
  db
    .updateTable('task')
    .set({ runAt: nowMs })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('task')
        .select('id')
        .where('id', '=', id)
        .where('runAt', '>', nowMs)
        .where('attempts', '>=', minAttempts)
        .where('leaseToken', 'is', null)
        .forUpdate()
        .skipLocked(),
    ),
);

/** The first free task of each kind, without locks. */
export const firstFreeTasks = preparedForMany(
  (db, kinds: readonly Values<{ kind: TaskKind }>[], { leaseNowMs }: Values<{ leaseNowMs: number }>) => {
    const firsts = kinds.map(
      ({ kind }) => sql`
        select kind, run_at from (
          select kind, run_at from task where kind = ${kind} and ${isFree(leaseNowMs)} order by run_at limit 1
        ) as first_of_kind`,
    );
    const query: RawBuilder<{ kind: TaskKind; runAt: number }> = sql`${sql.join(firsts, sql` union all `)}`;
    return { compile: () => query.compile(db) };
  },
);

type Held = Pick<Lease, 'taskId' | 'token'>;

export const freeLease = { leaseToken: null, leaseUntil: null };
const noFailure = { failingSince: null, failure: null };

/** A run that failed by an error of the program or its store. */
export interface TaskFailure {
  /** Without secrets, and without what people wrote. */
  readonly words: string;
  readonly nowMs: number;
  readonly runAtMs: number;
}

/**
 * The weakest lock that blocks a takeover. A stronger one would make rescheduling wait for this transaction, which may
 * want the job's lock next: a deadlock.
 */
export const heldTask = prepared((db, { taskId, token }: Values<Held>) =>
  db.selectFrom('task').select('id').where('id', '=', taskId).where('leaseToken', '=', token).forKeyShare(),
);

export const endTask = prepared((db, { taskId, token, revision }: Values<Lease>) =>
  db.deleteFrom('task').where((eb) => eb.and({ id: taskId, leaseToken: token, revision })),
);

type Row = ExpressionBuilder<Tables, 'task'>;

function held<V extends Given<V>>(
  change: (values: Values<Held & V>, row: Row) => UpdateObject<Tables, 'task'>,
) {
  return prepared((db, values: Values<Held & V>) =>
    db
      .updateTable('task')
      .set((row) => change(values, row))
      .where((eb) => eb.and({ id: values.taskId, leaseToken: values.token }))
      .returning(['kind', 'runAt']),
  );
}

export const freeTask = held(() => ({ ...freeLease, ...noFailure, attempts: 0 }));

export const retryTaskAt = held<{ runAtMs: number }>(({ runAtMs }, row) => ({
  ...freeLease,
  ...noFailure,
  runAt: runAtMs,
  attempts: row('attempts', '+', 1),
}));

/** A task that was rescheduled while in flight keeps its new time. */
export const repeatTask = held<{ revision: number; runAtMs: number }>(({ revision, runAtMs }, row) => ({
  ...freeLease,
  attempts: 0,
  runAt: row.case().when('revision', '=', revision).then(runAtMs).else(row.ref('runAt')).end(),
}));

export const delayTaskUntil = held<{ runAtMs: number }>(({ runAtMs }) => ({ ...freeLease, runAt: runAtMs }));

export const failTask = held<TaskFailure>(({ runAtMs, nowMs, words }, row) => ({
  ...freeLease,
  runAt: runAtMs,
  attempts: row('attempts', '+', 1),
  failingSince: row.fn.coalesce('failingSince', row.val(nowMs)),
  failure: words,
}));

export const markTaskUnknown = held<{ untilMs: number }>(({ untilMs }) => ({ unknownUntil: untilMs }));
