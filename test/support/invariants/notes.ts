import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../../src/store/engines/database.ts';
import type { StoreLocation } from '../../../src/store/open.ts';
import type { Queries } from '../../../src/store/schema/tables.ts';
import { SqlStore, type Transaction } from '../../../src/store/store.ts';
import { type JobRows, jobRowsFrom, jobRowsSql } from './rows.ts';
import { machineTimeMs } from './world.ts';

/** What a commit changed: all that is stored of these jobs; null: deleted. */
export interface Change {
  /** See `placeOf`. */
  readonly place: string;
  /** Not later than what was read. */
  readonly atMs: number;
  /** Not earlier. */
  readonly untilMs: number;
  /** On Postgres: of what was read; there, a look may be older than one that was noted before. */
  readonly version: number;
  readonly jobs: ReadonlyMap<string, JobRows | null>;
}

type Listener = (change: Change) => void;

const listeners = new Set<Listener>();

/** Called after each commit of this process that changed something, in the order of the commits. */
export function onCommit(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The folder, or the name of the database. */
export function placeOf(location: StoreLocation): string {
  return 'dataDir' in location ? resolve(location.dataDir) : new URL(location.databaseUrl).pathname.slice(1);
}

const places = new WeakMap<Database, string>();
const { transaction } = SqlStore.prototype;

SqlStore.prototype.transaction = async function <T>(
  this: SqlStore,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const run = <R>(inside: (tx: Transaction) => Promise<R>) => transaction.call(this, inside) as Promise<R>;
  if (listeners.size === 0) return run(work);
  const { database } = this as unknown as { database: Database };
  const { engine } = database;
  let place = '';
  let jobs: Change['jobs'] = new Map();
  const result = await run(async (tx) => {
    const rows = tx.queries(Rows);
    // Within the transaction: one of its own would change when this one begins.
    place = places.get(database) ?? (await rows.begin(engine));
    const done = await work(tx);
    jobs = await rows.changed(engine);
    return done;
  });
  places.set(database, place);
  if (jobs.size === 0) return result;
  if (engine === 'sqlite') tell({ place, version: 0, jobs });
  else await readAfter(database, place, [...jobs.keys()]);
  return result;
};

function tell(change: Omit<Change, 'atMs' | 'untilMs'>, atMs = machineTimeMs()): void {
  for (const listener of listeners) listener({ ...change, atMs, untilMs: machineTimeMs() });
}

let reading = Promise.resolve();

/** On Postgres, others may have committed between: what is stored is read afterwards, one look after the other. */
function readAfter({ queries }: Database, place: string, ids: readonly string[]): Promise<void> {
  reading = reading.then(async () => {
    const atMs = machineTimeMs();
    // If the database is away, the next look finds it.
    const read = await new Rows(queries).read(ROWS_ON_POSTGRES, ids).catch(() => null);
    if (read !== null) tell({ place, ...read }, atMs);
  });
  return reading;
}

const OF_JOBS = { job: 'id', call: 'job_id', follow_up: 'job_id', task: 'job_id' } as const;
const EVENTS = ['insert', 'update', 'delete'];
/** A claim only leases tasks. */
const EVENTS_OF_TASKS = ['insert', 'delete'];

/** Reads what a transaction has changed. */
class Rows {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  /** Where the store is. From now on, SQLite notes the jobs of changed rows. */
  async begin(engine: Database['engine']): Promise<string> {
    if (engine === 'postgres') {
      const [row] = await this.#run('select current_database() as name');
      return String(row?.name);
    }
    await this.#run('create temp table if not exists changed_job (id text primary key)');
    for (const [table, column] of Object.entries(OF_JOBS)) {
      for (const event of table === 'task' ? EVENTS_OF_TASKS : EVENTS) {
        const row = event === 'delete' ? 'old' : 'new';
        await this.#run(`create temp trigger if not exists ${table}_${event} after ${event} on ${table}
          when ${row}.${column} is not null begin insert or ignore into changed_job values (${row}.${column}); end`);
      }
    }
    const [row] = await this.#run("select file from pragma_database_list where name = 'main'");
    return dirname(String(row?.file));
  }

  /** On Postgres only whose rows; there, not those of which only a task was deleted. */
  async changed(engine: Database['engine']): Promise<Change['jobs']> {
    if (engine === 'postgres') {
      return new Map((await this.#run(CHANGED_ON_POSTGRES)).map(({ id }) => [String(id), null]));
    }
    const { rows } = await CHANGED.execute(this.#db);
    if (rows.length === 0) return new Map();
    const ids = rows.map(({ id }) => id);
    return (await this.read(SQLITE_ROWS, ids)).jobs;
  }

  async read(statement: string, ids: readonly string[]): Promise<Pick<Change, 'jobs' | 'version'>> {
    const rows = await this.#run(`${statement} (`, ids);
    const found = new Map(rows.map((row) => [String(row.id), jobRowsFrom(row)]));
    return {
      version: Number(rows[0]?.version ?? 0),
      jobs: new Map(ids.map((id) => [id, found.get(id) ?? null])),
    };
  }

  async #run(statement: string, ids: readonly string[] = []) {
    const values = ids.length === 0 ? sql`` : sql`${sql.join(ids)})`;
    const query = sql<Record<string, unknown>>`${sql.raw(statement)}${values}`;
    return (await query.execute(this.#db)).rows;
  }
}

/** They are forgotten with it. */
const CHANGED = sql<{ id: string }>`delete from changed_job returning id`;
const SQLITE_ROWS = jobRowsSql('sqlite', 'id in');
const ROWS_ON_POSTGRES = jobRowsSql('postgres', 'id in').replace(
  'select id,',
  'select pg_snapshot_xmax(pg_current_snapshot())::text as version, id,',
);
const CHANGED_ON_POSTGRES = Object.entries(OF_JOBS)
  .map(
    ([table, column]) =>
      `select ${column} as id from ${table} where xmin = pg_current_xact_id_if_assigned()::xid and ${column} is not null`,
  )
  .join(' union ');
