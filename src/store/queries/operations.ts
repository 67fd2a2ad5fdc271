import { sql } from 'kysely';
import { openStages } from '#jobs/job.ts';
import { taskKinds } from '#jobs/task-kinds.ts';
import type { Tables } from '../schema/tables.ts';
import { Table } from './table.ts';

const FAILING_FOR_MS = 60_000;

/** Reads only indexes, and failing tasks. */
export class Stats extends Table {
  async openJobs(): Promise<ReadonlyMap<(typeof openStages)[number], number>> {
    const rows = await this.db
      .selectFrom('job')
      .select((eb) => ['stage', eb.fn.countAll<number>().as('count')])
      .where('stage', 'in', openStages)
      .groupBy('stage')
      .execute();
    const counts = new Map(rows.map(({ stage, count }) => [stage, count]));
    return new Map(openStages.map((stage) => [stage, counts.get(stage) ?? 0]));
  }

  dueTasks(nowMs: number) {
    return this.taskCounts('kind')
      .select((eb) => eb.fn.min('runAt').as('dueSinceMs'))
      .where('runAt', '<=', nowMs)
      .execute();
  }

  /** Every attempt of the last minute failed: by then, an occasional failure has succeeded on retry. */
  async failingTasks(nowMs: number) {
    const rows = await this.taskCounts('kind', 'failure')
      .select((eb) => eb.fn.min<number>('failingSince').as('sinceMs'))
      .where('failingSince', '<=', nowMs - FAILING_FOR_MS)
      .orderBy('sinceMs')
      .execute();
    return rows.map(({ failure, ...tasks }) => ({ ...tasks, words: failure ?? '' }));
  }

  private taskCounts<Column extends 'kind' | 'failure'>(...columns: Column[]) {
    return (
      this.db
        .selectFrom('task')
        .select(columns)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        // With all kinds named, the database seeks once per kind instead of scanning the index.
        .where('kind', 'in', taskKinds)
        .groupBy(columns)
    );
  }
}

export type Recorded = Omit<Tables['auditEntry'], 'at' | 'id'> & { readonly atMs: number };

export class Audit extends Table {
  async record({ atMs: at, ...facts }: Recorded, id: string): Promise<void> {
    await this.db
      .insertInto('auditEntry')
      .values({ at, id, ...facts })
      .execute();
  }
}

/** Replicas report every minute. */
const GONE_AFTER_MS = 150_000;

export class Replicas extends Table {
  async report({ id, ...connections }: Omit<Tables['replica'], 'seenAt'>, nowMs: number): Promise<number> {
    await this.upsert('replica', { id }, { ...connections, seenAt: nowMs });
    const rows = await this.recentlySeen(nowMs);
    return rows.reduce((sum, row) => sum + row.connections, 0);
  }

  /** To Slack, from programs with another store. */
  async otherConnections(nowMs: number): Promise<number> {
    const rows = await this.recentlySeen(nowMs);
    return Math.max(0, ...rows.map((row) => row.otherConnections));
  }

  async leave(id: string, nowMs: number): Promise<void> {
    await this.delete('replica', {}, sql`(id = ${id} or seen_at < ${nowMs - GONE_AFTER_MS})`);
  }

  /** A clock may have been set back. */
  private recentlySeen(nowMs: number) {
    return this.rows('replica', {})
      .where('seenAt', '>', nowMs - GONE_AFTER_MS)
      .where('seenAt', '<', nowMs + GONE_AFTER_MS)
      .execute();
  }
}
