import { openStages } from '../../jobs/open-stages.ts';
import type { Queries } from '../schema/tables.ts';
import { type Census, type DueTasks, type OpenStage, taskKinds } from '../store.ts';

export class SqlCensus implements Census {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

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

  async dueTasks(nowMs: number): Promise<DueTasks[]> {
    const rows = await this.db
      .selectFrom('task')
      .select((eb) => [
        'kind',
        eb.fn.countAll<number | string>().as('count'),
        eb.fn.min('run_at').as('oldest'),
      ])
      // With all kinds named, the index is entered once for each, and not walked from end to end.
      .where('kind', 'in', taskKinds)
      .where('run_at', '<=', nowMs)
      .groupBy('kind')
      .execute();
    return rows.map(({ kind, count, oldest }) => ({ kind, count: Number(count), dueSinceMs: oldest }));
  }
}
