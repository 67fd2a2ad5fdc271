import { type SqlBool, sql } from 'kysely';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import type { PastCall } from '../../../jobs/follow-ups/turns.ts';
import { type Job, openStages } from '../../../jobs/job.ts';
import type { AuditedReply, Recorded } from '../../../jobs/report/audit.ts';
import type { CountedJob, Period } from '../../../jobs/report/report.ts';
import { startingAgain } from '../../../jobs/report/starts.ts';
import { type TaskKind, taskKinds } from '../../../jobs/task-kinds.ts';
import { type FollowUpRow, fromJson, jobFrom, type Tables } from '../../schema/tables.ts';
import { IS_IN_BUDGET } from '../calls/calls.ts';
import { idsOf, pick, prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';

/** Before every message. */
const EVER_TS = '';

/** A place in time among rows of the same kind. */
export interface Place<At = number, Id = string> {
  readonly at: At;
  readonly id: Id;
}

export interface Page<Row, At = number, Id = string> {
  readonly rows: readonly Row[];
  /** Behind the last row; null at the end. */
  readonly next: Place<At, Id> | null;
}

/** The page with these rows. */
function pageOf<Found, Row, At, Id>(
  found: readonly Found[],
  limit: number,
  rowOf: (one: Found) => Row,
  placeOf: (one: Found) => Place<At, Id>,
): Page<Row, At, Id> {
  const last = found.length < limit ? undefined : found.at(-1);
  return { rows: found.map(rowOf), next: last === undefined ? null : placeOf(last) };
}

/** What reports count, page by page in order of time. Nothing is locked. */
export class Reports extends Table {
  /** The jobs requested in the period; `teamId`: null: in all workspaces. */
  async jobs(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Place | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const rows = await this.db
      .selectFrom('job')
      .select(['id', 'requested_at', 'data', 'number'])
      .where('requested_at', '>=', after?.at ?? sinceMs)
      .where('requested_at', '<', untilMs)
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(requested_at, id) > (${after?.at ?? 0}, ${after?.id ?? ''})`),
      )
      .$if(teamId !== null, (query) => query.where(isOfTeam(teamId)))
      .orderBy('requested_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    const jobs = rows.map((row) => jobFrom(row));
    return this.pageOfJobs(jobs, limit, EVER_TS);
  }

  /** The jobs requested before the period, and started again in it, each once. */
  async startedAgain(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Place | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const rows = await this.db
      .selectFrom('job')
      .select(['id', 'data', 'number'])
      .where('id', 'in', (entries) =>
        entries
          .selectFrom('audit_entry')
          .select('job_id')
          .where('at', '>=', sinceMs)
          .where('at', '<', untilMs)
          .where('action', '=', 'press')
          .where('source', 'in', startingAgain)
          .where('outcome', '=', 'accepted')
          .where('job_id', 'is not', null)
          .$narrowType<{ job_id: string }>(),
      )
      .where('requested_at', '<', sinceMs)
      .$if(teamId !== null, (query) => query.where(isOfTeam(teamId)))
      .$if(after !== null, (query) => query.where('id', '>', after?.id ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute();
    const jobs = rows.map((row) => jobFrom(row));
    return this.pageOfJobs(jobs, limit, slackTime(sinceMs));
  }

  /** When create and message calls of the project were started in the period, in all workspaces. */
  async agentCalls(
    projectId: string,
    { sinceMs, untilMs }: Period,
    after: Place<number, number> | null,
    limit: number,
  ): Promise<Page<number, number, number>> {
    const rows = await this.db
      .selectFrom('call')
      .select(['started_at', 'seq'])
      .where('project_id', '=', projectId)
      .where('started_at', '>=', after?.at ?? sinceMs)
      .where('started_at', '<', untilMs)
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(started_at, seq) > (${after?.at ?? 0}, ${after?.id ?? 0})`),
      )
      .where(IS_IN_BUDGET)
      .orderBy('started_at')
      .orderBy('seq')
      .limit(limit)
      .$narrowType<{ started_at: number }>()
      .execute();
    const atMs = ({ started_at: at }: (typeof rows)[number]) => at;
    return pageOf(rows, limit, atMs, (row) => ({ at: row.started_at, id: row.seq }));
  }

  /** The projects that have such calls: the index is entered once for each. */
  async projects(): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const row = await this.db
        .selectFrom('call')
        .select('project_id')
        .where('project_id', '>', found.at(-1) ?? '')
        .where(IS_IN_BUDGET)
        .orderBy('project_id')
        .limit(1)
        .executeTakeFirst();
      if (row === undefined) return found;
      found.push(row.project_id);
    }
  }

  /** @param repliesFromTs earlier unclear replies are not counted */
  private async pageOfJobs(
    jobs: readonly Job[],
    limit: number,
    repliesFromTs: string,
  ): Promise<Page<CountedJob>> {
    const calls = await this.callsOf(jobs.filter(needsCalls));
    const unclear = await this.unclearReplies(jobs, repliesFromTs);
    return pageOf(
      jobs,
      limit,
      (job) => ({ job, calls: calls.get(job.id) ?? [], unclearReplies: unclear.get(job.id) ?? 0 }),
      ({ requestedAtMs: at, id }) => ({ at, id }),
    );
  }

  private async callsOf(jobs: readonly Job[]): Promise<ReadonlyMap<string, PastCall[]>> {
    const found = new Map<string, PastCall[]>();
    if (jobs.length === 0) return found;
    const rows = await this.db
      .selectFrom('call')
      .select(['job_id', 'request', 'state', 'created_at as createdAtMs', 'ended_at as endedAtMs'])
      .where('job_id', 'in', idsOf(jobs))
      .where('kind', 'in', ['create_job', 'announce'])
      .orderBy('job_id')
      .orderBy('seq')
      .execute();
    for (const { job_id: jobId, request, ...call } of rows) {
      const calls = found.get(jobId) ?? [];
      calls.push({ ...call, request: fromJson(request) });
      found.set(jobId, calls);
    }
    return found;
  }

  private async unclearReplies(jobs: readonly Job[], fromTs: string): Promise<ReadonlyMap<string, number>> {
    if (jobs.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('follow_up')
      .select((eb) => ['job_id', eb.fn.countAll<number | string>().as('count')])
      .where('job_id', 'in', idsOf(jobs))
      .where('state', '=', 'unknown')
      .where('message_ts', '>=', fromTs)
      .groupBy('job_id')
      .execute();
    return new Map(rows.map(({ job_id, count }) => [job_id, Number(count)]));
  }
}

/** A plain `team_id` would make SQLite scan all jobs of the workspace. */
function isOfTeam(teamId: string | null) {
  return sql<SqlBool>`team_id || '' = ${teamId ?? ''}`;
}

/** For all others, the job itself has everything that is counted. */
function needsCalls({ creates, announcedPrLink }: Job): boolean {
  return creates > 1 || announcedPrLink !== null;
}

type OpenStage = (typeof openStages)[number];

interface DueTasks {
  readonly kind: TaskKind;
  readonly count: number;
  /** When the oldest became due. */
  readonly dueSinceMs: number;
}

interface FailingTasks {
  readonly kind: TaskKind;
  readonly count: number;
}

/** The amount of work, for metrics. Reads indexes only, and locks nothing. */
export class Stats extends Table {
  /** Includes stages without jobs. */
  async openJobs(): Promise<ReadonlyMap<OpenStage, number>> {
    const rows = await this.db
      .selectFrom('job')
      .select((eb) => ['stage', eb.fn.countAll<number | string>().as('count')])
      .where('stage', 'in', openStages)
      .groupBy('stage')
      .execute();
    const counts = new Map(rows.map(({ stage, count }) => [stage, Number(count)]));
    return new Map(openStages.map((stage) => [stage, counts.get(stage) ?? 0]));
  }

  /** Kinds with due tasks; a task in flight is due until done. */
  async dueTasks(nowMs: number): Promise<DueTasks[]> {
    const rows = await this.db
      .selectFrom('task')
      .select((eb) => [
        'kind',
        eb.fn.countAll<number | string>().as('count'),
        eb.fn.min('run_at').as('oldest'),
      ])
      // With all kinds named, the index is entered once for each instead of scanned.
      .where('kind', 'in', taskKinds)
      .where('run_at', '<=', nowMs)
      .groupBy('kind')
      .execute();
    return rows.map(({ kind, count, oldest }) => ({ kind, count: Number(count), dueSinceMs: oldest }));
  }

  /** Kinds with tasks that have failed at every try since then. */
  async failingTasks(sinceMs: number): Promise<FailingTasks[]> {
    const rows = await this.db
      .selectFrom('task')
      .select((eb) => ['kind', eb.fn.countAll<number | string>().as('count')])
      .where('kind', 'in', taskKinds)
      .where('failing_since', '<=', sinceMs)
      .groupBy('kind')
      .execute();
    return rows.map(({ kind, count }) => ({ kind, count: Number(count) }));
  }
}

type Row = Tables['audit_entry'];

const insertEntry = prepared((db, row: Values<Row>) =>
  db
    .insertInto('audit_entry')
    .values(pick(row, 'at', 'id', 'team_id', 'user_id', 'action', 'source', 'job_id', 'outcome')),
);

/** What people did, for audits, as far as jobs and replies do not show it themselves. */
export class Audit extends Table {
  /** @param id unique */
  async record(recorded: Recorded, id: string): Promise<void> {
    const { atMs: at, teamId: team_id, userId: user_id, jobId: job_id, ...rest } = recorded;
    await insertEntry.change(this.db, { at, id, team_id, user_id, job_id, ...rest });
  }

  /** The period's records, in order of time. */
  async recorded({ sinceMs, untilMs }: Period, after: Place | null, limit: number): Promise<Page<Recorded>> {
    const rows = await this.db
      .selectFrom('audit_entry')
      .selectAll()
      .where('at', '>=', after?.at ?? sinceMs)
      .where('at', '<', untilMs)
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(at, id) > (${after?.at ?? 0}, ${after?.id ?? ''})`),
      )
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return pageOf(rows, limit, recordedFrom, ({ at, id }) => ({ at, id }));
  }

  /** The replies written in the period, by Slack's clock, in order of time. */
  async replies(
    { sinceMs, untilMs }: Period,
    after: Place<string> | null,
    limit: number,
  ): Promise<Page<AuditedReply, string>> {
    const rows = await this.db
      .selectFrom('follow_up')
      .innerJoin('job', 'job.id', 'follow_up.job_id')
      .select(['follow_up.id', 'message_ts', 'user_id', 'text', 'state', 'job_id', 'team_id'])
      .where('message_ts', '>=', after?.at ?? slackTime(sinceMs))
      .where('message_ts', '<', slackTime(untilMs))
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(message_ts, follow_up.id) > (${after?.at ?? ''}, ${after?.id ?? ''})`),
      )
      .orderBy('message_ts')
      .orderBy('follow_up.id')
      .limit(limit)
      .execute();
    return pageOf(rows, limit, replyFrom, ({ message_ts: at, id }) => ({ at, id }));
  }
}

function recordedFrom({ at: atMs, id: _id, team_id, user_id, job_id, ...rest }: Row): Recorded {
  return { atMs, teamId: team_id, userId: user_id, jobId: job_id, ...rest };
}

interface ReplyRow extends Pick<FollowUpRow, 'message_ts' | 'user_id' | 'text' | 'state' | 'job_id'> {
  readonly team_id: string;
}

function replyFrom({ message_ts, team_id: teamId, user_id: userId, job_id: jobId, ...rest }: ReplyRow) {
  const { text, state } = rest;
  return { writtenAtMs: Math.floor(Number(message_ts) * 1000), teamId, userId, jobId, text, state };
}
