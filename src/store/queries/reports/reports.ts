import { type SqlBool, sql } from 'kysely';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import type { PastCall } from '../../../jobs/follow-ups/turns.ts';
import { type Job, openStages } from '../../../jobs/job.ts';
import type { Audited, Recorded } from '../../../jobs/report/audit.ts';
import type { CountedJob, Period } from '../../../jobs/report/report.ts';
import { startingAgain } from '../../../jobs/report/starts.ts';
import { taskKinds } from '../../../jobs/task-kinds.ts';
import { fromJson, jobColumns, jobFrom } from '../../schema/tables.ts';
import { IS_IN_BUDGET } from '../calls/calls.ts';
import { idsOf } from '../prepared.ts';
import { type Page, type Place, readPage, Table } from '../table.ts';

/** Before every message. */
const EVER_TS = '';

/** What reports count, page by page in order of time. Nothing is locked. */
export class Reports extends Table {
  /** The jobs requested in the period; `teamId`: null: in all workspaces. */
  async jobs(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Place | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const jobs = this.db
      .selectFrom('job')
      .select(['requestedAt', 'id', ...jobColumns])
      .where('requestedAt', '<', untilMs)
      .where(isOfTeam(teamId));
    const { rows, next } = await readPage(jobs, ['requestedAt', 'id'], sinceMs, after, limit);
    return { rows: await this.counted(rows.map(jobFrom), EVER_TS), next };
  }

  /** The jobs requested before the period, and started again in it, each once. */
  async startedAgain(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Place | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const jobs = this.db
      .selectFrom('job')
      .select(['id', ...jobColumns])
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
      .where(isOfTeam(teamId));
    const { rows, next } = await readPage(jobs, ['id'], '', after, limit);
    return { rows: await this.counted(rows.map(jobFrom), slackTime(sinceMs)), next };
  }

  /** When create and message calls of the project were started in the period, in all workspaces. */
  async agentCalls(
    projectId: string,
    { sinceMs, untilMs }: Period,
    after: Place | null,
    limit: number,
  ): Promise<Page<number>> {
    const calls = this.db
      .selectFrom('call')
      .select(['startedAt', 'seq'])
      .where('projectId', '=', projectId)
      .where('startedAt', '<', untilMs)
      .where(IS_IN_BUDGET)
      .$narrowType<{ startedAt: number }>();
    const { rows, next } = await readPage(calls, ['startedAt', 'seq'], sinceMs, after, limit);
    return { rows: rows.map(({ startedAt }) => startedAt), next };
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
  private async counted(jobs: readonly Job[], repliesFromTs: string): Promise<CountedJob[]> {
    const calls = await this.callsOf(jobs.filter(needsCalls));
    const unclear = await this.unclearReplies(jobs, repliesFromTs);
    return jobs.map((job) => ({
      job,
      calls: calls.get(job.id) ?? [],
      unclearReplies: unclear.get(job.id) ?? 0,
    }));
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
    const entries = this.db.selectFrom('auditEntry').selectAll().where('at', '<', untilMs);
    const { rows, next } = await readPage(entries, ['at', 'id'], sinceMs, after, limit);
    return { rows: rows.map(({ at: atMs, id: _id, ...entry }) => ({ ...entry, atMs })), next };
  }

  /** The replies written in the period, by Slack's clock, in order of time. */
  async replies({ sinceMs, untilMs }: Period, after: Place | null, limit: number): Promise<Page<Audited>> {
    const replies = this.db
      .selectFrom('followUp')
      .innerJoin('job', 'job.id', 'followUp.jobId')
      .select(['followUp.id', 'messageTs', 'userId', 'text', 'state', 'jobId', 'teamId'])
      .where('messageTs', '<', slackTime(untilMs));
    const order = ['messageTs', 'followUp.id'];
    const { rows, next } = await readPage(replies, order, slackTime(sinceMs), after, limit);
    const audited = rows.map(({ id: _id, messageTs, state, ...reply }) => ({
      ...reply,
      ...({ action: 'reply', source: 'thread', outcome: state } as const),
      atMs: Math.floor(Number(messageTs) * 1000),
    }));
    return { rows: audited, next };
  }
}
