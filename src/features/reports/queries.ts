import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { slackTime } from '#jobs/follow-ups/follow-up.ts';
import type { Job } from '#jobs/job.ts';
import { IS_IN_BUDGET } from '#store/queries/calls.ts';
import type { Recorded } from '#store/queries/operations.ts';
import { idsOf } from '#store/queries/prepared.ts';
import { type Cursor, type Page, readPage, Table } from '#store/queries/table.ts';
import { fromJson, jobColumns, jobFrom } from '#store/schema/tables.ts';
import { type CountedJob, type Period, startingAgain } from './report.ts';

export type Audited = Omit<Recorded, 'action'> &
  Readonly<{
    action: 'start' | 'reply' | Recorded['action'];
    /** As Slack delivered it. */
    text?: string;
  }>;

/** Lets other work run between pages. */
export async function* rowsOf<Row>(pageAfter: (after: Cursor | null) => Promise<Page<Row>>) {
  let after: Cursor | null = null;
  do {
    const { rows, next }: Page<Row> = await pageAfter(after);
    yield* rows;
    after = next;
    await nextTurn();
  } while (after !== null);
}

/** In order of time, without locks. `teamId` null: all workspaces. */
export class Reports extends Table {
  async jobs(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Cursor | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const jobs = this.jobsOf(teamId).where('requestedAt', '<', untilMs);
    const { rows, next } = await readPage(jobs, ['requestedAt', 'id'], sinceMs, after, limit);
    return { rows: await this.counted(rows.map(jobFrom), ''), next };
  }

  async startedAgain(
    { sinceMs, untilMs }: Period,
    teamId: string | null,
    after: Cursor | null,
    limit: number,
  ): Promise<Page<CountedJob>> {
    const jobs = this.jobsOf(teamId)
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
      .where('requestedAt', '<', sinceMs);
    const { rows, next } = await readPage(jobs, ['id'], '', after, limit);
    return { rows: await this.counted(rows.map(jobFrom), slackTime(sinceMs)), next };
  }

  async agentCalls(
    projectId: string,
    { sinceMs, untilMs }: Period,
    after: Cursor | null,
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

  async projects(): Promise<string[]> {
    const found: string[] = [];
    // A loose index scan.
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

  async recorded({ sinceMs, untilMs }: Period, after: Cursor | null, limit: number): Promise<Page<Recorded>> {
    const entries = this.db.selectFrom('auditEntry').selectAll().where('at', '<', untilMs);
    const { rows, next } = await readPage(entries, ['at', 'id'], sinceMs, after, limit);
    return { rows: rows.map(({ at: atMs, id: _id, ...entry }) => ({ ...entry, atMs })), next };
  }

  /** By Slack's clock. */
  async replies({ sinceMs, untilMs }: Period, after: Cursor | null, limit: number): Promise<Page<Audited>> {
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

  /** With a plain `team_id`, SQLite would scan the workspace's jobs. */
  private jobsOf(teamId: string | null) {
    const jobs = this.db.selectFrom('job').select(['requestedAt', 'id', ...jobColumns]);
    return teamId === null ? jobs : jobs.where(sql<SqlBool>`team_id || '' = ${teamId}`);
  }

  /** Omits earlier replies. */
  private async counted(jobs: readonly Job[], repliesFromTs: string): Promise<CountedJob[]> {
    if (jobs.length === 0) return [];
    // Other jobs need no calls.
    const withCalls = jobs.filter(({ creates, announcedPrLink }) => creates > 1 || announcedPrLink !== null);
    const calls =
      withCalls.length === 0
        ? []
        : await this.db
            .selectFrom('call')
            .select(['jobId', 'request', 'createdAt as createdAtMs'])
            .where('jobId', 'in', idsOf(withCalls))
            .where('kind', 'in', ['create_job', 'announce'])
            .orderBy('jobId')
            .orderBy('seq')
            .execute();
    const unclear = await this.db
      .selectFrom('followUp')
      .select((eb) => ['jobId', eb.fn.countAll<number>().as('count')])
      .where('jobId', 'in', idsOf(jobs))
      .where('state', '=', 'unknown')
      .where('messageTs', '>=', repliesFromTs)
      .groupBy('jobId')
      .execute();
    const callsOf = Map.groupBy(calls, ({ jobId }) => jobId);
    const unclearOf = new Map(unclear.map(({ jobId, count }) => [jobId, count]));
    return jobs.map((job) => ({
      job,
      calls: (callsOf.get(job.id) ?? []).map(({ request, createdAtMs }) => ({
        request: fromJson(request),
        createdAtMs,
      })),
      unclearReplies: unclearOf.get(job.id) ?? 0,
    }));
  }
}
