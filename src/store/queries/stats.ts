import { openStages } from '../../jobs/stages.ts';
import type { Queries } from '../schema/tables.ts';
import { type TaskKind, taskKinds } from './tasks/task.ts';

type OpenStage = (typeof openStages)[number];

interface DueTasks {
  readonly kind: TaskKind;
  readonly count: number;
  /** Since when the oldest has been due. */
  readonly dueSinceMs: number;
}

interface FailingTasks {
  readonly kind: TaskKind;
  readonly count: number;
}

/** How much there is to do, for whoever looks after the program. Read from indexes alone, and locks nothing. */
export class Stats {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Also of the stages that no job is in. */
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

  /** Of the kinds of which any is due; those in hand are due until they are done. */
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

  /** Of the kinds of which any has failed at every try since then, or for longer. */
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
