import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../../src/store/engines/database.ts';
import type { StoreLocation } from '../../../src/store/open.ts';
import type { Queries } from '../../../src/store/schema/tables.ts';
import { SqlStore, type Transaction } from '../../../src/store/store.ts';
import { type Commit, type Invariant, type InvariantName, invariants, nameOf } from '../invariants.ts';
import { type JobRows, jobRowsFrom, jobRowsSql } from './rows.ts';
import { type OutwardCall, World } from './world.ts';

/** What stand-ins carried out: each list only grows. */
export type Outside = () => readonly (readonly OutwardCall[])[];

export interface WatchOptions {
  /** Default: 100. */
  readonly hourlyBudget?: number;
  readonly outside?: Outside;
}

/** So much of what led to a violation is told. */
const STORY_LENGTH = 200;

type Step = (Commit & { readonly jobId: string }) | OutwardCall;

/** Holds every commit of this process, and every call that the stand-ins carried out, against the invariants. */
export class Watch implements Disposable {
  /** Each with its story. */
  readonly violations: string[] = [];
  /** The look that is under way. */
  reading: Promise<void> = Promise.resolve();
  readonly #world: World;
  readonly #outside: Outside;
  readonly #steps: Step[] = [];
  readonly #seen = new Map<readonly OutwardCall[], number>();

  readonly #places: string[] = [];

  /** `location`: of the store to watch. */
  constructor(location: StoreLocation, { hourlyBudget = 100, outside = () => [] }: WatchOptions = {}) {
    this.#world = new World(hourlyBudget);
    this.#outside = outside;
    this.include(location);
    watches.add(this);
  }

  /** Another store, of a program that uses the same stand-ins. */
  include(location: StoreLocation): void {
    this.#places.push(
      'dataDir' in location ? resolve(location.dataDir) : new URL(location.databaseUrl).pathname.slice(1),
    );
  }

  isOf(place: string): boolean {
    return this.#places.includes(place);
  }

  commit(changed: ReadonlyMap<string, JobRows | null>): void {
    this.#look();
    for (const [jobId, after] of changed) {
      const commit = { jobId, before: this.#world.job(jobId), after };
      this.#steps.push(commit);
      this.#world.note(jobId, after);
      this.#judge(jobId, ({ ofCommit }) => ofCommit?.(commit, this.#world));
    }
  }

  /** Throws if an invariant was broken. */
  verify(): void {
    this.#look();
    if (this.violations.length > 0) throw new Error(this.violations.join('\n\n'));
  }

  [Symbol.dispose](): void {
    watches.delete(this);
  }

  #look(): void {
    for (const calls of this.#outside()) {
      for (const call of calls.slice(this.#seen.get(calls) ?? 0)) {
        this.#steps.push(call);
        const about = call.to === 'slack' ? (call.callId ?? '') : call.agentJobId;
        this.#judge(about, ({ ofCall }) => ofCall?.(call, this.#world));
        this.#world.noteCall(call);
      }
      this.#seen.set(calls, calls.length);
    }
  }

  #judge(about: string, judge: (invariant: Invariant) => readonly string[] | undefined): void {
    for (const name of Object.keys(invariants) as InvariantName[]) {
      for (const wrong of judge(invariants[name]) ?? []) {
        this.violations.push(`Broken: ${name}\n${wrong}\n${this.#storyOf(about)}`);
      }
    }
  }

  /** Commits and calls in their order, of the job that it is about. */
  #storyOf(about: string): string {
    const jobId = this.#world.ownerOf(about)?.job.id ?? about;
    const callIds = new Set(this.#world.job(jobId)?.calls.map(({ id }) => id));
    const isAbout = (step: Step) =>
      'jobId' in step
        ? step.jobId === jobId
        : step.to === 'agent' || step.callId === about || callIds.has(step.callId ?? '');
    const story = this.#steps.filter(isAbout).slice(-STORY_LENGTH);
    return story.map((step) => `  ${'jobId' in step ? told(step) : calledOut(step)}`).join('\n');
  }
}

function told({ before, after }: Commit): string {
  if (after === null) return 'commit: the job is deleted';
  const changes = [
    ...changed(before, after, ({ job }) => [['job', job.stage.kind]]),
    ...changed(before, after, ({ calls }) => calls.map((call) => [nameOf(call), call.state])),
    ...changed(before, after, ({ followUps }) =>
      followUps.map(({ messageTs, state }) => [`reply ${messageTs}`, state]),
    ),
    ...changed(before, after, ({ tasks }) => tasks.map((task) => [task.replace(/:.*/, ''), 'planned'])),
  ];
  return `commit: ${changes.join(', ') || 'other columns'}`;
}

type Facts = readonly (readonly [what: string, state: string])[];

function changed(before: JobRows | null, after: JobRows, facts: (rows: JobRows) => Facts): string[] {
  const was = new Map(before === null ? [] : facts(before));
  const is = new Map(facts(after));
  const gone = [...was.keys()].filter((what) => !is.has(what));
  return [
    ...[...is].filter(([what, state]) => was.get(what) !== state).map(([what, state]) => `${what} ${state}`),
    ...gone.map((what) => `${what} gone`),
  ];
}

function calledOut(call: OutwardCall): string {
  return call.to === 'slack'
    ? `Slack: ${call.method} ${call.channel} ${call.callId ?? ''}`
    : `agent: ${call.operation} ${call.agentJobId} ${JSON.stringify(call.prompt)}`;
}

const watches = new Set<Watch>();
const { transaction } = SqlStore.prototype;

SqlStore.prototype.transaction = async function <T>(
  this: SqlStore,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const run = <R>(inside: (tx: Transaction) => Promise<R>) => transaction.call(this, inside) as Promise<R>;
  if (watches.size === 0) return run(work);
  const { database } = this as unknown as { database: Database };
  const { engine } = database;
  const place = places.get(database) ?? (await run((tx) => tx.queries(Rows).begin(engine)));
  places.set(database, place);
  const watching = [...watches].filter((watch) => watch.isOf(place));
  if (watching.length === 0) return run(work);
  let changes: Changes = new Map();
  const result = await run(async (tx) => {
    const done = await work(tx);
    changes = await tx.queries(Rows).changed(engine);
    return done;
  });
  if (changes.size === 0) return result;
  if (engine === 'sqlite') for (const watch of watching) watch.commit(changes);
  else await readAfter(database, [...changes.keys()], watching);
  return result;
};

type Changes = ReadonlyMap<string, JobRows | null>;

const places = new WeakMap<Database, string>();

/** On Postgres, others may have committed between: what is stored is read afterwards, one look after the other. */
function readAfter({ queries }: Database, ids: readonly string[], watching: readonly Watch[]): Promise<void> {
  const [first] = watching;
  if (first === undefined) return Promise.resolve();
  first.reading = first.reading.then(async () => {
    const found = await new Rows(queries).read(jobRowsSql('postgres', 'id in'), ids);
    for (const watch of watching) watch.commit(found);
  });
  return first.reading;
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
  async changed(engine: Database['engine']): Promise<Changes> {
    if (engine === 'postgres') {
      return new Map((await this.#run(CHANGED_ON_POSTGRES)).map(({ id }) => [String(id), null]));
    }
    const { rows } = await CHANGED.execute(this.#db);
    if (rows.length === 0) return new Map();
    await FORGET.execute(this.#db);
    return this.read(
      SQLITE_ROWS,
      rows.map(({ id }) => id),
    );
  }

  async read(statement: string, ids: readonly string[]): Promise<Changes> {
    const rows = await this.#run(`${statement} (`, ids);
    const found = new Map(rows.map((row) => [String(row.id), jobRowsFrom(row)]));
    return new Map(ids.map((id) => [id, found.get(id) ?? null]));
  }

  async #run(statement: string, ids: readonly string[] = []) {
    const values = ids.length === 0 ? sql`` : sql`${sql.join(ids)})`;
    const query = sql<Record<string, unknown>>`${sql.raw(statement)}${values}`;
    return (await query.execute(this.#db)).rows;
  }
}

const CHANGED = sql<{ id: string }>`select id from changed_job`;
const FORGET = sql`delete from changed_job`;
const SQLITE_ROWS = jobRowsSql('sqlite', 'id in');
const CHANGED_ON_POSTGRES = Object.entries(OF_JOBS)
  .map(
    ([table, column]) =>
      `select ${column} as id from ${table} where xmin = pg_current_xact_id_if_assigned()::xid and ${column} is not null`,
  )
  .join(' union ');
