import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** What the program has planned, read from its database on a connection of its own. */
export interface Queue extends AsyncDisposable {
  look(nowMs: number): Promise<Plan>;
  /** All tasks, and calls without an outcome, in words. */
  leftOver(): Promise<string[]>;
}

export interface Plan {
  /** How many tasks are due and not in flight; and whatever else is about to be written. Without slowed reads. */
  readonly due: number;
  /** How many reads are due that wait for their turn, since the agent API has rejected one for the rate. */
  readonly slowedReads: number;
  /** They wait at least until then. */
  readonly readsAgainMs: number;
  readonly inFlight: number;
  /** When the next task is due of those that are not yet, or null. */
  readonly nextDueMs: number | null;
}

/** A rate that was slowed down is whole again so long after reads go on. */
const SLOWED_FOR_MS = 20 * 60_000;

const PLAN = `select sum(case when lease_until is null and run_at <= $now then 1 else 0 end) as due,
  sum(case when lease_until is null and run_at <= $now and kind in ('check_job', 'check_ended_job')
    then 1 else 0 end) as reads,
  (select max(slowed_until) from read_budget) as slowed_until,
  sum(case when lease_until is not null then 1 else 0 end) as in_hand,
  min(case when lease_until is null and run_at > $now then run_at end) as next from task`;
/** What other sessions are about to write. */
const SESSIONS = `select count(*) as busy from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
const TASKS = `select id || ' at ' || run_at as words from task`;
const CALLS = `select natural_key || ' is ' || state as words from call where ended_at is null`;

export function openSqliteQueue(file: string): Queue {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const plan = db.prepare(PLAN);
  const version = db.prepare('pragma data_version');
  let last: { readonly nowMs: number; readonly version: unknown; readonly plan: Plan } | null = null;
  const lists = [db.prepare(TASKS), db.prepare(CALLS)];
  return {
    // Asked in every turn of the event loop, in most of which nothing was written.
    look: async (nowMs) => {
      const { data_version: current } = version.get() ?? {};
      if (last?.nowMs !== nowMs || last.version !== current) {
        last = { nowMs, version: current, plan: planOf(plan.get({ now: nowMs }), nowMs) };
      }
      return last.plan;
    },
    leftOver: async () => lists.flatMap((list) => list.all().map(({ words }) => String(words))),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

export async function openPostgresQueue(url: string): Promise<Queue> {
  const client = new Client(url);
  await client.connect();
  const wordsOf = async (list: string) => (await client.query(list)).rows.map(({ words }) => String(words));
  return {
    look: async (nowMs) => {
      const sessions = await client.query(SESSIONS);
      const { rows } = await client.query(PLAN.replaceAll('$now', '$1::bigint'), [nowMs]);
      const plan = planOf(rows[0], nowMs);
      return { ...plan, due: plan.due + Number(sessions.rows[0]?.busy) };
    },
    leftOver: async () => [...(await wordsOf(TASKS)), ...(await wordsOf(CALLS))],
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function planOf(row: Readonly<Record<string, unknown>> | undefined, nowMs: number): Plan {
  const next = row?.next ?? null;
  const readsAgainMs = Number(row?.slowed_until ?? 0);
  const slowedReads = nowMs < readsAgainMs + SLOWED_FOR_MS ? Number(row?.reads ?? 0) : 0;
  return {
    due: Number(row?.due ?? 0) - slowedReads,
    slowedReads,
    readsAgainMs,
    inFlight: Number(row?.in_hand ?? 0),
    nextDueMs: next === null ? null : Number(next),
  };
}
