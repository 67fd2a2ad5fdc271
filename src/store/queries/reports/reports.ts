import { type SqlBool, sql } from 'kysely';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import type { PastCall } from '../../../jobs/follow-ups/turns.ts';
import { type Job, openStages } from '../../../jobs/job.ts';
import type { AuditedReply, Recorded } from '../../../jobs/report/audit.ts';
import type { CountedJob, Period } from '../../../jobs/report/report.ts';
import { startingAgain } from '../../../jobs/report/starts.ts';
import { taskKinds } from '../../../jobs/task-kinds.ts';
import { fromJson, jobColumns, jobFrom } from '../../schema/tables.ts';
import { IS_IN_BUDGET } from '../calls/calls.ts';
import { idsOf } from '../prepared.ts';
import { isBeyond, Table } from '../table.ts';

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
      .select(jobColumns)
      .where('requestedAt', '>=', after?.at ?? sinceMs)
      .where('requestedAt', '<', untilMs)
      .where(isBeyond(['requestedAt', 'id'], after && [after.at, after.id]))
      .where(isOfTeam(teamId))
      .orderBy('requestedAt')
      .orderBy('id')
      .limit(limit)
      .execute();
    return this.pageOfJobs(rows.map(jobFrom), limit, EVER_TS);
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
      .select(jobColumns)
      .where('id', 'in', (entries) =>
        entries
          .selectFrom('auditEntry')
          .select('jobId')
          .where('at', '>=', sinceMs)
          .where('at', '<', untilMs)
          .where('action', '=', 'press')
          .where('source', 'in', startingAgain)
          .where('outcome', '=', 'accepted')
          .where('jobId', 'is not', null)
          .$narrowType<{ jobId: string }>(),
      )
      .where('requestedAt', '<', sinceMs)
      .where(isOfTeam(teamId))
      .where('id', '>', after?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
    return this.pageOfJobs(rows.map(jobFrom), limit, slackTime(sinceMs));
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
      .select(['startedAt', 'seq'])
      .where('projectId', '=', projectId)
      .where('startedAt', '>=', after?.at ?? sinceMs)
      .where('startedAt', '<', untilMs)
      .where(isBeyond(['startedAt', 'seq'], after && [after.at, after.id]))
      .where(IS_IN_BUDGET)
      .orderBy('startedAt')
      .orderBy('seq')
      .limit(limit)
      .$narrowType<{ startedAt: number }>()
      .execute();
    const atMs = ({ startedAt: at }: (typeof rows)[number]) => at;
    return pageOf(rows, limit, atMs, (row) => ({ at: row.startedAt, id: row.seq }));
  }

  /** The projects that have such calls: the index is entered once for each. */
  async projects(): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const row = await this.db
        .selectFrom('call')
        .select('projectId')
        .where('projectId', '>', found.at(-1) ?? '')
        .where(IS_IN_BUDGET)
        .orderBy('projectId')
        .limit(1)
        .executeTakeFirst();
      if (row === undefined) return found;
      found.push(row.projectId);
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
      .select(['jobId', 'request', 'state', 'createdAt as createdAtMs', 'endedAt as endedAtMs'])
      .where('jobId', 'in', idsOf(jobs))
      .where('kind', 'in', ['create_job', 'announce'])
      .orderBy('jobId')
      .orderBy('seq')
      .execute();
    for (const { jobId, request, ...call } of rows) {
      const calls = found.get(jobId) ?? [];
      calls.push({ ...call, request: fromJson(request) });
      found.set(jobId, calls);
    }
    return found;
  }

  private async unclearReplies(jobs: readonly Job[], fromTs: string): Promise<ReadonlyMap<string, number>> {
    if (jobs.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('followUp')
      .select((eb) => ['jobId', eb.fn.countAll<number>().as('count')])
      .where('jobId', 'in', idsOf(jobs))
      .where('state', '=', 'unknown')
      .where('messageTs', '>=', fromTs)
      .groupBy('jobId')
      .execute();
    return new Map(rows.map(({ jobId, count }) => [jobId, count]));
  }
}

/** A plain `team_id` would make SQLite scan all jobs of the workspace. */
function isOfTeam(teamId: string | null) {
  return teamId === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`team_id || '' = ${teamId}`;
}

/** For all others, the job itself has everything that is counted. */
function needsCalls({ creates, announcedPrLink }: Job): boolean {
  return creates > 1 || announcedPrLink !== null;
}

type OpenStage = (typeof openStages)[number];

/** The amount of work, for metrics. Reads indexes only, and locks nothing. */
export class Stats extends Table {
  /** Includes stages without jobs. */
  async openJobs(): Promise<ReadonlyMap<OpenStage, number>> {
    const rows = await this.db
      .selectFrom('job')
      .select((eb) => ['stage', eb.fn.countAll<number>().as('count')])
      .where('stage', 'in', openStages)
      .groupBy('stage')
      .execute();
    const counts = new Map(rows.map(({ stage, count }) => [stage, count]));
    return new Map(openStages.map((stage) => [stage, counts.get(stage) ?? 0]));
  }

  /** Kinds with due tasks, and since when the oldest is due; a task in flight is due until done. */
  dueTasks(nowMs: number) {
    return (
      this.db
        .selectFrom('task')
        .select((eb) => ['kind', eb.fn.countAll<number>().as('count'), eb.fn.min('runAt').as('dueSinceMs')])
        // With all kinds named, the index is entered once for each instead of scanned.
        .where('kind', 'in', taskKinds)
        .where('runAt', '<=', nowMs)
        .groupBy('kind')
        .execute()
    );
  }

  /** Kinds with tasks that have failed at every try since then. */
  failingTasks(sinceMs: number) {
    return this.db
      .selectFrom('task')
      .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
      .where('kind', 'in', taskKinds)
      .where('failingSince', '<=', sinceMs)
      .groupBy('kind')
      .execute();
  }
}

/** What people did, for audits, as far as jobs and replies do not show it themselves. */
export class Audit extends Table {
  /** @param id unique */
  async record(recorded: Recorded, id: string): Promise<void> {
    const { atMs: at, teamId, userId, action, source, jobId, outcome } = recorded;
    const entry = { at, id, teamId, userId, action, source, jobId, outcome };
    await this.db.insertInto('auditEntry').values(entry).execute();
  }

  /** The period's records, in order of time. */
  async recorded({ sinceMs, untilMs }: Period, after: Place | null, limit: number): Promise<Page<Recorded>> {
    const rows = await this.db
      .selectFrom('auditEntry')
      .selectAll()
      .where('at', '>=', after?.at ?? sinceMs)
      .where('at', '<', untilMs)
      .where(isBeyond(['at', 'id'], after && [after.at, after.id]))
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute();
    const recordedFrom = ({ at: atMs, id: _id, ...entry }: (typeof rows)[number]) => ({ ...entry, atMs });
    return pageOf(rows, limit, recordedFrom, ({ at, id }) => ({ at, id }));
  }

  /** The replies written in the period, by Slack's clock, in order of time. */
  async replies(
    { sinceMs, untilMs }: Period,
    after: Place<string> | null,
    limit: number,
  ): Promise<Page<AuditedReply, string>> {
    const rows = await this.db
      .selectFrom('followUp')
      .innerJoin('job', 'job.id', 'followUp.jobId')
      .select(['followUp.id', 'messageTs', 'userId', 'text', 'state', 'jobId', 'teamId'])
      .where('messageTs', '>=', after?.at ?? slackTime(sinceMs))
      .where('messageTs', '<', slackTime(untilMs))
      .where(isBeyond(['messageTs', 'followUp.id'], after && [after.at, after.id]))
      .orderBy('messageTs')
      .orderBy('followUp.id')
      .limit(limit)
      .execute();
    const replyFrom = ({ id: _id, messageTs, ...reply }: (typeof rows)[number]) => ({
      ...reply,
      writtenAtMs: Math.floor(Number(messageTs) * 1000),
    });
    return pageOf(rows, limit, replyFrom, ({ messageTs: at, id }) => ({ at, id }));
  }
}
