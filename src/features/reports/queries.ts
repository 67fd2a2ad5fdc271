import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { slackTime } from '#jobs/follow-ups/follow-up.ts';
import { IS_IN_BUDGET } from '#store/queries/calls.ts';
import type { Recorded } from '#store/queries/operations.ts';
import { idsOf } from '#store/queries/prepared.ts';
import { Table } from '#store/queries/table.ts';
import { fromJson, jobColumns, jobFrom } from '#store/schema/tables.ts';
import { type CountedJob, type Period, startingAgain } from './report.ts';

type JobRow = Parameters<typeof jobFrom>[0] & Readonly<{ id: string; unclearReplies: number }>;

export type Audited = Omit<Recorded, 'action'> &
  Readonly<{
    action: 'start' | 'reply' | Recorded['action'];
    /** As Slack delivered it. */
    text?: string;
  }>;

/** Bounds the memory, and on SQLite how long a transaction blocks all else. */
const SLICE_MS = 3 * 3_600_000;

/** Lets other work run in between. */
export async function* slicesOf({ sinceMs, untilMs }: Period): AsyncGenerator<Period> {
  for (let fromMs = sinceMs; fromMs < untilMs; fromMs += SLICE_MS) {
    yield { sinceMs: fromMs, untilMs: Math.min(fromMs + SLICE_MS, untilMs) };
    await nextTurn();
  }
}

/** In order of time, without locks. `teamId` null: all workspaces. */
export class Reports extends Table {
  async jobs({ sinceMs, untilMs }: Period, teamId: string | null): Promise<CountedJob[]> {
    const jobs = this.jobsOf(teamId, '')
      .where('requestedAt', '>=', sinceMs)
      .where('requestedAt', '<', untilMs)
      .orderBy('requestedAt')
      .orderBy('id');
    return this.counted(await jobs.execute());
  }

  /** Older ones, of the whole period: few. */
  async startedAgain({ sinceMs, untilMs }: Period, teamId: string | null): Promise<CountedJob[]> {
    const jobs = this.jobsOf(teamId, slackTime(sinceMs))
      .where('requestedAt', '<', sinceMs)
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
      .orderBy('id');
    return this.counted(await jobs.execute());
  }

  /** The most calls to the agent within 60 minutes for one project. `projectIds` null: of all. */
  async busiestHour({ sinceMs, untilMs }: Period, projectIds: readonly string[] | null): Promise<number> {
    const ids = projectIds ?? (await this.projects());
    if (ids.length === 0) return 0;
    const calls = this.db
      .selectFrom('call')
      .select(
        sql<number>`count(*) over (
          partition by project_id order by started_at range between 3599999 preceding and current row
        )`.as('inHour'),
      )
      .where('projectId', 'in', ids)
      .where('startedAt', '>=', sinceMs)
      .where('startedAt', '<', untilMs)
      .where(IS_IN_BUDGET);
    const busiest = this.db.selectFrom(calls.as('calls')).select((eb) => eb.fn.max('inHour').as('most'));
    return (await busiest.executeTakeFirstOrThrow()).most ?? 0;
  }

  /** A loose index scan. */
  private async projects() {
    const found: string[] = [];
    for (;;) {
      const { next } = await this.db
        .selectFrom('call')
        .select((eb) => eb.fn.min<string | null>('projectId').as('next'))
        .where('projectId', '>', found.at(-1) ?? '')
        .where(IS_IN_BUDGET)
        .executeTakeFirstOrThrow();
      if (next === null) return found;
      found.push(next);
    }
  }

  async recorded({ sinceMs, untilMs }: Period): Promise<Recorded[]> {
    const entries = this.db.selectFrom('auditEntry').selectAll();
    const within = entries.where('at', '>=', sinceMs).where('at', '<', untilMs);
    const rows = await within.orderBy('at').orderBy('id').execute();
    return rows.map(({ at: atMs, id: _id, ...entry }) => ({ ...entry, atMs }));
  }

  /** By Slack's clock. */
  async replies({ sinceMs, untilMs }: Period): Promise<Audited[]> {
    const rows = await this.db
      .selectFrom('followUp')
      .innerJoin('job', 'job.id', 'followUp.jobId')
      .select(['messageTs', 'userId', 'text', 'state', 'jobId', 'teamId'])
      .where('messageTs', '>=', slackTime(sinceMs))
      .where('messageTs', '<', slackTime(untilMs))
      .orderBy('messageTs')
      .orderBy('followUp.id')
      .execute();
    return rows.map(({ messageTs, state, ...reply }) => ({
      ...reply,
      ...({ action: 'reply', source: 'thread', outcome: state } as const),
      atMs: Math.floor(Number(messageTs) * 1000),
    }));
  }

  /** With a plain `team_id`, SQLite would scan the workspace's jobs. */
  private jobsOf(teamId: string | null, repliesFromTs: string) {
    const jobs = this.db
      .selectFrom('job')
      .select(['id', ...jobColumns])
      .select((eb) =>
        eb
          .selectFrom('followUp')
          .select((replies) => replies.fn.countAll<number>().as('count'))
          .whereRef('followUp.jobId', '=', 'job.id')
          .where('followUp.state', '=', 'unknown')
          .where('messageTs', '>=', repliesFromTs)
          .$asScalar()
          .$notNull()
          .as('unclearReplies'),
      );
    return teamId === null ? jobs : jobs.where(sql<SqlBool>`team_id || '' = ${teamId}`);
  }

  private async counted(rows: readonly JobRow[]): Promise<CountedJob[]> {
    if (rows.length === 0) return [];
    const calls = await this.db
      .selectFrom('call')
      .select(['jobId', 'request', 'createdAt as createdAtMs'])
      .where('jobId', 'in', idsOf(rows))
      .where('kind', 'in', ['create_job', 'announce'])
      .orderBy('jobId')
      .orderBy('seq')
      .execute();
    const ofJob = Map.groupBy(calls, ({ jobId }) => jobId);
    return rows.map((row) => ({
      job: jobFrom(row),
      calls: (ofJob.get(row.id) ?? []).map(({ request, ...call }) => ({
        ...call,
        request: fromJson(request),
      })),
      unclearReplies: row.unclearReplies,
    }));
  }
}
