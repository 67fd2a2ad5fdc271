import { openStages } from '../../../jobs/job.ts';
import { type TaskKind, taskKinds } from '../../../jobs/task-kinds.ts';
import { Table } from '../../schema/tables.ts';

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
