import type { Job } from '../../../jobs/job.ts';
import { type Slowdown, shownWhilePaused } from '../../../jobs/schedule/slowdown.ts';
import { exactly, type Tables } from '../../schema/tables.ts';
import { Table } from '../table.ts';

/**
 * No allowance takes longer to recover, and no clock is so far ahead: a later time was written before one was
 * set back.
 */
const FURTHEST_AHEAD_MS = 120_000;

export type ReadUse = Readonly<{
  /** When the project's allowance is whole again. */
  wholeAtMs: number;
  slowdown: Slowdown | null;
}>;

/** Why the agent API is not asked something for a project: it answered 429. */
export type ProjectPause = Readonly<{
  projectId: string;
  sinceMs: number;
  untilMs: number;
}>;

/** Each project's use of its read allowance, across all replicas. */
export class ReadBudget extends Table {
  /** Of these projects, as far as they have read. Locks all projects. */
  async of(projectIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, ReadUse>> {
    await this.takeAdvisoryLock('reads');
    const rows = await this.db
      .selectFrom('readBudget')
      .selectAll()
      .where('projectId', 'in', projectIds)
      .execute();
    return new Map(rows.map((row) => [row.projectId, useOf(row, nowMs + FURTHEST_AHEAD_MS)]));
  }

  /** The projects of which nothing is read now. Locks nothing. */
  async paused(nowMs: number): Promise<ProjectPause[]> {
    const rows = await this.db
      .selectFrom('readBudget')
      .selectAll()
      .where('slowedUntil', '>', nowMs)
      .orderBy('projectId')
      .execute();
    return rows.flatMap((row) => {
      const { slowdown } = useOf(row, nowMs + FURTHEST_AHEAD_MS);
      if (slowdown === null) return [];
      return [{ projectId: row.projectId, sinceMs: slowdown.atMs, untilMs: slowdown.untilMs }];
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
      .updateTable('readBudget')
      .set({ slowedUntil: nowMs })
      .where('projectId', '=', projectId)
      .where('slowedUntil', '>', nowMs)
      .where('slowedAt', '<', askedAtMs)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async put(wholeAtMs: ReadonlyMap<string, number>): Promise<void> {
    await this.db
      .insertInto('readBudget')
      .values([...wholeAtMs].map(([projectId, atMs]) => ({ projectId, wholeAt: exactly(atMs) })))
      .onConflict((conflict) =>
        conflict.column('projectId').doUpdateSet((eb) => ({ wholeAt: eb.ref('excluded.wholeAt') })),
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
      slowedAt: after.atMs,
      slowedShare: exactly(after.share),
      slowedUntil: after.untilMs,
    };
    await this.upsert('readBudget', { projectId }, { wholeAt: exactly(wholeAtMs), ...columns }, columns);
    return after;
  }
}

function useOf(
  { wholeAt, slowedAt, slowedShare, slowedUntil }: Tables['readBudget'],
  latestMs: number,
): ReadUse {
  const isKnown = slowedAt !== null && slowedShare !== null && slowedUntil !== null;
  return {
    wholeAtMs: wholeAt <= latestMs ? wholeAt : 0,
    slowdown:
      isKnown && slowedAt <= latestMs ? { atMs: slowedAt, share: slowedShare, untilMs: slowedUntil } : null,
  };
}
