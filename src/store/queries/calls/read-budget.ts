import type { Selectable } from 'kysely';
import type { Job } from '../../../jobs/job.ts';
import { type Slowdown, shownWhilePaused } from '../../../jobs/schedule/slowdown.ts';
import { exactly, type Tables } from '../../schema/tables.ts';
import { Table } from '../table.ts';

/**
 * No allowance takes longer to recover, and no clock is so far ahead: a later time was written before one was
 * set back.
 */
const FURTHEST_AHEAD_MS = 120_000;

export interface ReadUse {
  /** When the project's allowance is whole again. */
  readonly wholeAtMs: number;
  readonly slowdown: Slowdown | null;
}

/** Why the agent API is not asked something for a project: it answered 429. */
export interface ProjectPause {
  readonly projectId: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Each project's use of its read allowance, across all replicas. */
export class ReadBudget extends Table {
  /** Of these projects, as far as they have read. Locks all projects. */
  async of(projectIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, ReadUse>> {
    await this.takeAdvisoryLock('reads');
    const rows = await this.db
      .selectFrom('read_budget')
      .selectAll()
      .where('project_id', 'in', projectIds)
      .execute();
    return new Map(rows.map((row) => [row.project_id, useOf(row, nowMs + FURTHEST_AHEAD_MS)]));
  }

  /** The projects of which nothing is read now. Locks nothing. */
  async paused(nowMs: number): Promise<ProjectPause[]> {
    const rows = await this.db
      .selectFrom('read_budget')
      .selectAll()
      .where('slowed_until', '>', nowMs)
      .orderBy('project_id')
      .execute();
    return rows.flatMap((row) => {
      const { slowdown } = useOf(row, nowMs + FURTHEST_AHEAD_MS);
      if (slowdown === null) return [];
      return [{ projectId: row.project_id, sinceMs: slowdown.atMs, untilMs: slowdown.untilMs }];
    });
  }

  /** The jobs as shown: those of which nothing is read now wait. */
  async shown(jobs: readonly Job[], nowMs: number): Promise<Job[]> {
    const pauses = new Map((await this.paused(nowMs)).map((pause) => [pause.projectId, pause]));
    return jobs.map((job) => {
      const pause = pauses.get(job.projectId);
      return pause === undefined
        ? job
        : shownWhilePaused(job, { atMs: pause.sinceMs, untilMs: pause.untilMs });
    });
  }

  /**
   * The API accepted something asked after it had named the pause, which is over. Returns whether there was
   * one.
   */
  async endPause(projectId: string, askedAtMs: number, nowMs: number): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('read_budget')
      .set({ slowed_until: nowMs })
      .where('project_id', '=', projectId)
      .where('slowed_until', '>', nowMs)
      .where('slowed_at', '<', askedAtMs)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async put(wholeAtMs: ReadonlyMap<string, number>): Promise<void> {
    await this.db
      .insertInto('read_budget')
      .values([...wholeAtMs].map(([project_id, atMs]) => ({ project_id, whole_at: exactly(atMs) })))
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet((eb) => ({ whole_at: eb.ref('excluded.whole_at') })),
      )
      .execute();
  }

  async slowDown(
    projectId: string,
    change: (before: Slowdown | null) => Slowdown,
    nowMs: number,
  ): Promise<Slowdown> {
    const { wholeAtMs = 0, slowdown = null } = (await this.of([projectId], nowMs)).get(projectId) ?? {};
    const after = change(slowdown);
    const columns = {
      slowed_at: after.atMs,
      slowed_share: exactly(after.share),
      slowed_until: after.untilMs,
    };
    await this.db
      .insertInto('read_budget')
      .values({ project_id: projectId, whole_at: exactly(wholeAtMs), ...columns })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(columns))
      .execute();
    return after;
  }
}

function useOf(
  { whole_at, slowed_at, slowed_share, slowed_until }: Selectable<Tables['read_budget']>,
  latestMs: number,
): ReadUse {
  const isKnown = slowed_at !== null && slowed_share !== null && slowed_until !== null;
  return {
    wholeAtMs: whole_at <= latestMs ? whole_at : 0,
    slowdown:
      isKnown && slowed_at <= latestMs
        ? { atMs: slowed_at, share: slowed_share, untilMs: slowed_until }
        : null,
  };
}
