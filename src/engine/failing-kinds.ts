import { retryDelayMs } from '#jobs/schedule/schedule.ts';
import type { TaskKind } from '#jobs/task-kinds.ts';
import { type ClaimedTask, LeaseLostError } from '#store/store.ts';
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
export function failingKinds({ store, clock, log }: Pick<EngineTools, 'store' | 'clock' | 'log'>) {
  const failing = new Map<TaskKind, Failures>();
  return {
    done: ({ kind }: ClaimedTask): void => {
      failing.delete(kind);
    },
    retryLater: async (task: ClaimedTask, error: unknown): Promise<void> => {
      const { kind, subject, attempts } = task;
      const nowMs = clock.now();
      const words = scrub(error instanceof Error ? error.message : String(error)).slice(0, MAX_WORDS);
      const failures = failing.get(kind) ?? { sinceMs: nowMs, subjects: new Set() };
      failures.subjects.add(subject);
      failing.set(kind, { ...failures, lastAtMs: nowMs, words });
      const runAtMs = nowMs + retryDelayMs(attempts + 1, 0.5);
      await store
        .transaction((tx) => tx.tasks.fail(task.lease, runAtMs, words, nowMs))
        // The lease expires, and the task is claimed again.
        .catch((cause: unknown) => {
          if (cause instanceof LeaseLostError) return;
          log.error('task_not_retried', { task: kind, subject, attempts, error: cause });
        });
    },
    list: () => {
      const nowMs = clock.now();
      return [...failing].flatMap(([kind, { sinceMs, lastAtMs, words, subjects }]) =>
        nowMs - sinceMs >= FAILING_FOR_MS && nowMs - lastAtMs < FORGOTTEN_AFTER_MS
          ? [{ kind, sinceMs, tasks: subjects.size, words }]
          : [],
      );
    },
  };
}
