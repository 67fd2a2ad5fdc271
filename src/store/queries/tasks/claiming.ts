import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { prepared, preparedForMany, type Values } from '../prepared.ts';
import type { TaskGroup, TaskKind } from './task.ts';

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
  'run_at',
  'attempts',
  'revision',
  'lease_token',
  'group_key',
  'unsure_until',
] as const;

/** One query for each kind, as each walks its own stretch of the index. */
export const dueTasks = prepared((db, { kind, nowMs, leaseNowMs, limit }: Values<Due>) =>
  db
    .selectFrom('task')
    .select(CLAIMED)
    .where('kind', '=', kind)
    .where('run_at', '<=', nowMs)
    .where(isFree(leaseNowMs))
    .orderBy('run_at')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
);

/** As `dueTasks`, of these groups only: what waits in other groups costs nothing, however much it is. */
export const dueTasksOf = preparedForMany(
  (db, groups: readonly Values<Group>[], { kind, nowMs, leaseNowMs, limit }: Values<Due>) => {
    const isDue = sql<SqlBool>`run_at <= ${nowMs} and ${isFree(leaseNowMs)}`;
    const ids = groups.map(
      ({ group }) => sql`
        select id from (
          select id from task where kind = ${kind} and group_key = ${group} and ${isDue}
          order by run_at limit ${limit}
        ) as first_of_group`,
    );
    return (
      db
        .selectFrom('task')
        .select(CLAIMED)
        .where(sql<SqlBool>`id in (${sql.join(ids, sql` union all `)})`)
        // Once more, for somebody else may have had it meanwhile. With the kind, SQLite would walk through all that is due.
        .where(isDue)
        .orderBy('run_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
    );
  },
);

/** Each group, and when the first of its tasks is due that is free. Leaps from one group to the next. */
export const groupHeads = prepared(
  (db, { kind, leaseNowMs }: Values<{ kind: TaskKind; leaseNowMs: number }>) => {
    const query: RawBuilder<{ group_key: TaskGroup; run_at: number | null }> = sql`
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
  ) =>
    db
      .updateTable('task')
      .set({ lease_token: token, lease_until: untilMs })
      .where(
        'id',
        'in',
        tasks.map(({ id }) => id),
      ),
);

export const runTaskNow = prepared((db, { id, nowMs }: Values<{ id: string; nowMs: number }>) =>
  db
    .updateTable('task')
    .set({ run_at: nowMs })
    .where('id', '=', id)
    .where('run_at', '>', nowMs)
    .where('attempts', '=', 0)
    .where('lease_token', 'is', null),
);

/** Leaves alone what is in hand, and what somebody else is writing. */
export const runTaskNowUnlessLocked = prepared((db, { id, nowMs }: Values<{ id: string; nowMs: number }>) =>
  db
    .updateTable('task')
    .set({ run_at: nowMs })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('task')
        .select('id')
        .where('id', '=', id)
        .where('run_at', '>', nowMs)
        .where('lease_token', 'is', null)
        .forUpdate()
        .skipLocked(),
    ),
);

export const nextFreeTask = prepared((db, { kind }: Values<{ kind: TaskKind }>) =>
  db
    .selectFrom('task')
    .select('run_at')
    .where('kind', '=', kind)
    .where('lease_until', 'is', null)
    .orderBy('run_at')
    .limit(1),
);
