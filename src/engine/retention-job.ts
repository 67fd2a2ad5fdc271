import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limits, RetentionCursor } from '../store/retention.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/redact.ts';

const EVERY_MS = 3_600_000;
/** A start has more urgent things to do. */
const FIRST_AFTER_MS = 60_000;
/** Each batch is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 25;
const TRACES_AT_ONCE = 250;
const DAY_MS = 86_400_000;
/**
 * Slack redelivers an event for a few hours at most, and threads are read for missed replies for 14 days
 * after their job's request. Anything older is not accepted (`isTooOld`).
 */
const REQUESTS_KEPT_MS = 30 * DAY_MS;
/** A home tab is refreshed for an hour after it was opened. */
const HOMES_KEPT_MS = DAY_MS;

/** Deletes, hourly, what is over and older than the retention. */
export class RetentionJob {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly retentionMs: number;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private cancel = () => {};

  constructor(store: Store, clock: Clock, log: Logger, retentionMs: number) {
    this.store = store;
    this.clock = clock;
    this.log = log;
    this.retentionMs = retentionMs;
  }

  start(): void {
    this.runIn(FIRST_AFTER_MS);
  }

  /** Waits for the batch in flight. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.running;
  }

  private runIn(delayMs: number): void {
    this.cancel = this.clock.at(this.clock.now() + delayMs, () => {
      this.running = this.run().finally(() => {
        if (!this.isStopped) this.runIn(EVERY_MS);
      });
    });
  }

  private async run(): Promise<void> {
    const startedAtMs = this.clock.now();
    const limits = {
      jobsBeforeMs: startedAtMs - this.retentionMs,
      inboundRequestsBeforeMs: startedAtMs - REQUESTS_KEPT_MS,
      homesBeforeMs: startedAtMs - HOMES_KEPT_MS,
    };
    try {
      const jobs = await this.pruneJobs(limits);
      await this.pruneTraces(limits);
      const durationMs = this.clock.now() - startedAtMs;
      this.log.info('retention_job_ran', { outcome: 'done', jobs, duration_ms: durationMs });
    } catch (error) {
      this.log.error('retention_job_ran', { outcome: 'failed', error });
    }
  }

  private async pruneJobs(limits: Limits): Promise<number> {
    const batch = (after: RetentionCursor | null) =>
      this.store.transaction((tx) => tx.retention.pruneJobs(limits, after, JOBS_AT_ONCE, this.clock.now()));
    let { pruned, next } = await batch(null);
    while (next !== null && !this.isStopped) {
      await nextTurn();
      const more = await batch(next);
      pruned += more.pruned;
      next = more.next;
    }
    return pruned;
  }

  private async pruneTraces(limits: Limits): Promise<void> {
    let most = TRACES_AT_ONCE;
    while (most === TRACES_AT_ONCE && !this.isStopped) {
      most = await this.store.transaction((tx) =>
        tx.retention.pruneTraces(limits, TRACES_AT_ONCE, this.clock.now()),
      );
      await nextTurn();
    }
  }
}
