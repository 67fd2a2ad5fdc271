import { type Expression, type SqlBool, sql } from 'kysely';
import type { TaskKind } from '../store.ts';
import type { TaskGroup } from '../task-group.ts';
import { preparedForMany, type Values } from './prepared.ts';

interface Group {
  readonly group: TaskGroup;
}

/** Whether a task is in none of these groups, nor in a part of them. */
const isOutsideOf = (groups: readonly Values<Group>[]): Expression<SqlBool>[] =>
  groups.map(({ group }) => {
    const prefix = sql<string>`cast(${group} as text)`;
    return sql<SqlBool>`substr(group_key, 1, length(${prefix})) <> ${prefix}`;
  });

/** One query for each kind, as each walks its own stretch of the index. */
export const dueTasks = preparedForMany(
  (
    db,
    leftOut: readonly Values<Group>[],
    {
      kind,
      nowMs,
      leaseNowMs,
      limit,
    }: Values<{ kind: TaskKind; nowMs: number; leaseNowMs: number; limit: number }>,
  ) =>
    db
      .selectFrom('task')
      .select([
        'id',
        'kind',
        'subject',
        'run_at',
        'attempts',
        'revision',
        'lease_token',
        'group_key',
        'unsure_until',
      ])
      .where('kind', '=', kind)
      .where('run_at', '<=', nowMs)
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', leaseNowMs)]))
      .$if(leftOut.length > 0, (query) => query.where((eb) => eb.and(isOutsideOf(leftOut))))
      .orderBy('run_at')
      .limit(limit)
      .forUpdate()
      .skipLocked(),
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

export const nextFreeTask = preparedForMany(
  (db, leftOut: readonly Values<Group>[], { kind }: Values<{ kind: TaskKind }>) =>
    db
      .selectFrom('task')
      .select('run_at')
      .where('kind', '=', kind)
      .where('lease_until', 'is', null)
      .$if(leftOut.length > 0, (query) => query.where((eb) => eb.and(isOutsideOf(leftOut))))
      .orderBy('run_at')
      .limit(1),
);
