import { sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

/** A Postgres session that keeps locked what docs-agent has to change. */
export type HeldLock = Readonly<{
  pid: number;
  /** The session's application name; empty if unset, or hidden from this role. */
  program: string;
  /** Postgres's word, such as `idle in transaction`; empty if hidden from this role. */
  state: string;
  table: string;
  /** The age of its transaction; null if hidden from this role. */
  forMs: number | null;
}>;

/** A transaction of docs-agent takes less. */
const NOTEWORTHY_MS = 5_000;

/**
 * Sessions that have had rows of our tables locked for seconds. For other roles' sessions, Postgres may hide
 * the time: these count while somebody waits for them.
 */
export async function heldLocks(queries: Queries): Promise<HeldLock[]> {
  const { rows } = await sql<HeldLock>`
    select distinct on (holder.pid) holder.pid, coalesce(holder.application_name, '') as program,
      coalesce(holder.state, '') as state, held.relname as "table",
      cast(extract(epoch from clock_timestamp() - holder.xact_start) * 1000 as bigint) as for_ms
    from pg_locks as lock
    join pg_class as held on held.oid = lock.relation
    join pg_stat_activity as holder on holder.pid = lock.pid
    where lock.granted and lock.locktype = 'relation' and holder.datname = current_database()
      and held.relkind = 'r' and held.relnamespace = cast(current_schema() as regnamespace)
      and lock.mode not in ('AccessShareLock', 'ShareUpdateExclusiveLock')
      and holder.pid <> pg_backend_pid()
      and coalesce(
        holder.xact_start < clock_timestamp() - cast(${`${NOTEWORTHY_MS} milliseconds`} as interval),
        holder.pid in (
          select unnest(pg_blocking_pids(waiting.pid)) from pg_locks as waiting where not waiting.granted
        )
      )
    order by holder.pid, held.relname`.execute(queries);
  return rows;
}

/** For operators: who holds what, and since when. */
export function heldLockWords({ pid, program, state, table, forMs }: HeldLock): string {
  const who = [program, state].filter((word) => word !== '').join(', ');
  const since = forMs === null ? '' : ` for ${Math.round(forMs / 1000)} s`;
  return `session ${pid}${who === '' ? '' : ` (${who})`} has kept rows of "${table}" locked${since}: the work on them waits`;
}
