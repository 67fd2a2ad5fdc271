import { createHash } from 'node:crypto';
import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import { openSqlite } from '#store/engines/sqlite.ts';
import type { Message } from './message.ts';

interface JobTable {
  id: string;
  project: string;
  prompt: string;
  createdAt: number;
  /** Number of the current branch. */
  round: number;
  /** Of the last turn; null: none ended. */
  outcome: 'completed' | 'failed' | null;
  prLink: string | null;
  summary: string | null;
  reason: string | null;
  sessionId: string | null;
  /** Commit with the last turn's edits, if it was stopped. */
  kept: string | null;
  restedAt: number | null;
  archivedAt: number | null;
}

interface TurnTable {
  number: Generated<number>;
  jobId: string;
  prompt: string;
  /** JSON; null after the end. */
  images: string | null;
  state: 'waiting' | 'running' | 'ended' | 'dropped';
  attempts: number;
  summary: string | null;
}

interface CallTable {
  key: string;
  project: string;
  at: number;
  bodyHash: string;
  /** JSON. */
  answer: string;
}

const OPEN = ['waiting', 'running'] as const;

export type Job = Readonly<JobTable>;
export type Turn = Readonly<Selectable<TurnTable>>;
export type Call = Readonly<CallTable>;
type Queries = Kysely<{ job: JobTable; turn: TurnTable; call: CallTable }>;

export type TurnEnd = Pick<Job, 'outcome' | 'reason' | 'summary'> &
  Partial<Pick<Job, 'prLink' | 'sessionId' | 'kept'>>;

const EARLIER_TURNS_MAX = 20;

const SCHEMA = [
  `create table if not exists job (
    id text primary key, project text not null, prompt text not null, created_at integer not null,
    round integer not null, outcome text, pr_link text, summary text, reason text, session_id text, kept text,
    rested_at integer, archived_at integer)`,
  `create table if not exists turn (
    number integer primary key autoincrement, job_id text not null references job (id), prompt text not null,
    images text, state text not null, attempts integer not null, summary text)`,
  'create index if not exists turn_state on turn (state, number)',
  'create index if not exists turn_job on turn (job_id)',
  `create table if not exists call (
    key text primary key, project text not null, at integer not null, body_hash text not null,
    answer text not null)`,
  'create index if not exists call_at on call (project, at)',
];

/** Times are milliseconds since 1970. */
export class RunnerStore {
  readonly close: () => Promise<void>;
  readonly #db: Queries;

  private constructor(queries: Queries, close: () => Promise<void>) {
    this.#db = queries;
    this.close = close;
  }

  /** Turns of a killed runner wait again. Throws StoreError, also if another runner uses the folder. */
  static async open(dataDir: string): Promise<RunnerStore> {
    const { queries, close } = openSqlite(dataDir);
    // The engine's type lacks these tables.
    const own = queries as unknown as Queries;
    for (const statement of SCHEMA) await sql.raw(statement).execute(own);
    await own.updateTable('turn').set({ state: 'waiting' }).where('state', '=', 'running').execute();
    return new RunnerStore(own, close);
  }

  transaction<T>(work: (tx: RunnerStore) => Promise<T>): Promise<T> {
    return this.#db.transaction().execute((queries) => work(new RunnerStore(queries, this.close)));
  }

  async job(id: string): Promise<Job | null> {
    return (await this.#db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
  }

  /** In order. */
  openTurns(jobId: string): Promise<Pick<Turn, 'number' | 'state'>[]> {
    const turns = this.#db.selectFrom('turn').select(['number', 'state']).where('jobId', '=', jobId);
    return turns.where('state', 'in', OPEN).orderBy('number').execute();
  }

  /** The newest, in order. */
  async earlierTurns({ jobId, number }: Turn): Promise<Turn[]> {
    const turns = this.#db.selectFrom('turn').selectAll().where('jobId', '=', jobId);
    const ended = turns.where('number', '<', number).where('state', '=', 'ended');
    return (await ended.orderBy('number', 'desc').limit(EARLIER_TURNS_MAX).execute()).reverse();
  }

  async create(id: string, project: string, message: Message, nowMs: number): Promise<void> {
    const job = { id, project, prompt: message.prompt, createdAt: nowMs, round: 1 };
    await this.#db.insertInto('job').values(job).execute();
    await this.addTurn(id, message);
  }

  async addTurn(jobId: string, { prompt, images }: Message): Promise<void> {
    await this.change(jobId, { archivedAt: null });
    const turn = { jobId, prompt, images: JSON.stringify(images), state: 'waiting', attempts: 0 } as const;
    await this.#db.insertInto('turn').values(turn).execute();
  }

  async change(jobId: string, values: Partial<JobTable>): Promise<void> {
    await this.#db.updateTable('job').set(values).where('id', '=', jobId).execute();
  }

  /** The oldest waiting turn of a job without a running one. */
  async begin(): Promise<Turn | null> {
    const busy = this.#db.selectFrom('turn').select('jobId').where('state', '=', 'running');
    const waiting = this.#db.selectFrom('turn').selectAll().where('state', '=', 'waiting');
    const free = waiting.where('jobId', 'not in', busy).orderBy('number').limit(1);
    const next = await free.executeTakeFirst();
    if (next === undefined) return null;
    const begun = { state: 'running' as const, attempts: next.attempts + 1 };
    await this.#db.updateTable('turn').set(begun).where('number', '=', next.number).execute();
    return { ...next, ...begun };
  }

  /** Not a failed attempt. Drops the session, which remembers lost edits. */
  async interrupt({ number, jobId, attempts }: Turn): Promise<void> {
    const values = { state: 'waiting' as const, attempts: attempts - 1 };
    await this.#db.updateTable('turn').set(values).where('number', '=', number).execute();
    await this.change(jobId, { sessionId: null });
  }

  async end({ number, jobId }: Turn, end: TurnEnd, nowMs: number): Promise<void> {
    const values = { state: 'ended' as const, images: null, summary: end.summary };
    await this.#db.updateTable('turn').set(values).where('number', '=', number).execute();
    await this.change(jobId, { ...end, restedAt: nowMs });
  }

  async dropWaiting(jobId: string): Promise<void> {
    const waiting = this.#db.updateTable('turn').set({ state: 'dropped', images: null });
    await waiting.where('jobId', '=', jobId).where('state', '=', 'waiting').execute();
  }

  /** Returns the ids. Skips jobs with open turns. */
  async archive(untilMs: number, nowMs: number): Promise<string[]> {
    const open = this.#db.selectFrom('turn').select('jobId').where('state', 'in', OPEN);
    const jobs = this.#db.updateTable('job').set({ archivedAt: nowMs }).where('archivedAt', 'is', null);
    const resting = jobs.where('restedAt', '<', untilMs).where('id', 'not in', open).returning('id');
    return (await resting.execute()).map(({ id }) => id);
  }

  async call(key: string): Promise<Call | null> {
    return (await this.#db.selectFrom('call').selectAll().where('key', '=', key).executeTakeFirst()) ?? null;
  }

  async noteCall(call: Call): Promise<void> {
    await this.#db.insertInto('call').values(call).execute();
  }

  async forgetCalls(untilMs: number): Promise<void> {
    await this.#db.deleteFrom('call').where('at', '<', untilMs).execute();
  }

  /** The time of the `count`th newest call; null: there are fewer. */
  async nthNewestCallAt(project: string, count: number): Promise<number | null> {
    const calls = this.#db.selectFrom('call').select('at').where('project', '=', project);
    return (
      (
        await calls
          .orderBy('at', 'desc')
          .offset(count - 1)
          .limit(1)
          .executeTakeFirst()
      )?.at ?? null
    );
  }
}

export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}
