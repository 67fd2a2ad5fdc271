import { retryDelayMs } from '../jobs/schedule/schedule.ts';
import type { TaskKind } from '../jobs/task-kinds.ts';
import { type ClaimedTask, LeaseLostError } from '../store/store.ts';
import type { EngineTools } from './apply-event.ts';
import { scrub } from './runtime/redact.ts';

const FAILING_FOR_MS = 5 * 60_000;
/** Failing tasks are retried within a minute. */
const FORGOTTEN_AFTER_MS = 15 * 60_000;
const MAX_WORDS = 500;

type Failures = Readonly<{
  sinceMs: number;
  lastAtMs: number;
  words: string;
  subjects: Set<string>;
}>;

/** Finds task kinds that never succeed. If one task does, the others fail for their own reasons. */
export class FailingKinds {
  private readonly tools: Pick<EngineTools, 'store' | 'clock' | 'log'>;
  private readonly failures = new Map<TaskKind, Failures>();

  constructor(tools: Pick<EngineTools, 'store' | 'clock' | 'log'>) {
    this.tools = tools;
  }

  done({ kind }: ClaimedTask): void {
    this.failures.delete(kind);
  }

  async putOff(task: ClaimedTask, error: unknown): Promise<void> {
    const { store, clock, log } = this.tools;
    const nowMs = clock.now();
    const words = scrub(error instanceof Error ? error.message : String(error)).slice(0, MAX_WORDS);
    const failures = this.failures.get(task.kind) ?? { sinceMs: nowMs, subjects: new Set() };
    failures.subjects.add(task.subject);
    this.failures.set(task.kind, { ...failures, lastAtMs: nowMs, words });
    const runAtMs = nowMs + retryDelayMs(task.attempts + 1, 0.5);
    await store
      .transaction((tx) => tx.tasks.fail(task.lease, runAtMs, words, nowMs))
      // The lease expires, and the task is claimed again.
      .catch((cause: unknown) => {
        if (cause instanceof LeaseLostError) return;
        const { kind, subject, attempts } = task;
        log.error('task_not_retried', { task: kind, subject, attempts, error: cause });
      });
  }

  list(): FailingKind[] {
    const nowMs = this.tools.clock.now();
    return [...this.failures].flatMap(([kind, { sinceMs, lastAtMs, words, subjects }]) =>
      nowMs - sinceMs >= FAILING_FOR_MS && nowMs - lastAtMs < FORGOTTEN_AFTER_MS
        ? [{ kind, sinceMs, tasks: subjects.size, words }]
        : [],
    );
  }
}

export type LoopState = Readonly<{
  name: string;
  problem: string | null;
  tasks: readonly string[];
  tasksInFlight: number;
  failing: readonly FailingKind[];
}>;

export type FailingKind = Readonly<{
  kind: string;
  sinceMs: number;
  tasks: number;
  words: string;
}>;
