import { retryDelayMs } from '../jobs/schedule/schedule.ts';
import type { TaskKind } from '../jobs/task-kinds.ts';
import { type ClaimedTask, LeaseLostError } from '../store/store.ts';
import { scrub } from './runtime/redact.ts';
import type { EngineTools } from './tools.ts';

/** What passes by itself is over by then. */
const FAILING_FOR_MS = 5 * 60_000;
/** A task that fails is tried again within a minute: much later, nothing more is known of it. */
const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Of a failure: enough for what is wrong, why, and what to do. */
const MAX_WORDS = 500;

interface Failures {
  readonly sinceMs: number;
  lastAtMs: number;
  words: string;
  readonly subjects: Set<string>;
}

/** Notices kinds of tasks that fail whatever is tried: as long as one is done, the others fail for reasons of their own. */
export class FailingKinds {
  private readonly tools: Pick<EngineTools, 'store' | 'clock' | 'log'>;
  private readonly failures = new Map<TaskKind, Failures>();

  constructor(tools: Pick<EngineTools, 'store' | 'clock' | 'log'>) {
    this.tools = tools;
  }

  done({ kind }: ClaimedTask): void {
    this.failures.delete(kind);
  }

  /** The task is tried again later, and its failure is recorded in the store. */
  async putOff(task: ClaimedTask, error: unknown): Promise<void> {
    const { store, clock, log } = this.tools;
    const nowMs = clock.now();
    const words = scrub(error instanceof Error ? error.message : String(error)).slice(0, MAX_WORDS);
    this.note(task, words, nowMs);
    const runAtMs = nowMs + retryDelayMs(task.attempts + 1, 0.5);
    await store
      .transaction((tx) => tx.tasks.fail(task.lease, { words, nowMs, runAtMs }))
      // The lease runs out by itself, and the task is claimed again then.
      .catch((cause: unknown) => {
        // Who took it over goes on.
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

  private note({ kind, subject }: ClaimedTask, words: string, nowMs: number): void {
    const failures = this.failures.get(kind) ?? {
      sinceMs: nowMs,
      lastAtMs: nowMs,
      words,
      subjects: new Set(),
    };
    failures.lastAtMs = nowMs;
    failures.words = words;
    failures.subjects.add(subject);
    this.failures.set(kind, failures);
  }
}

export interface LoopState {
  readonly name: string;
  /** What keeps it from looking for work, or null. */
  readonly problem: string | null;
  /** The kinds of tasks that are its work. */
  readonly tasks: readonly string[];
  readonly tasksInFlight: number;
  readonly failing: readonly FailingKind[];
}

/** A kind of tasks whose every try has failed, for minutes. */
export interface FailingKind {
  readonly kind: string;
  readonly sinceMs: number;
  /** How many different tasks were tried. */
  readonly tasks: number;
  /** Of the last failure. */
  readonly words: string;
}
