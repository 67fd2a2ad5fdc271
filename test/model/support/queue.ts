import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** What the program has planned, as its database tells. Reads beside the program, on a connection of its own. */
export interface Queue extends AsyncDisposable {
  look(nowMs: number): Promise<Plan>;
  /** All tasks, and calls without an outcome, in words. */
  leftOver(): Promise<string[]>;
}

export interface Plan {
  /** How many tasks are due, and nobody has them in hand; and whatever else is about to be written. */
  readonly due: number;
  readonly inHand: number;
  /** When the next task is due of those that are not yet, or null. */
  readonly nextDueMs: number | null;
}

const PLAN = `select sum(case when lease_until is null and run_at <= $now then 1 else 0 end) as due,
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
  const lists = [db.prepare(TASKS), db.prepare(CALLS)];
  return {
    look: async (nowMs) => planOf(plan.get({ now: nowMs })),
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
      const plan = planOf(rows[0]);
      return { ...plan, due: plan.due + Number(sessions.rows[0]?.busy) };
    },
    leftOver: async () => [...(await wordsOf(TASKS)), ...(await wordsOf(CALLS))],
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function planOf(row: Readonly<Record<string, unknown>> | undefined): Plan {
  const next = row?.next ?? null;
  return {
    due: Number(row?.due ?? 0),
    inHand: Number(row?.in_hand ?? 0),
    nextDueMs: next === null ? null : Number(next),
  };
}
