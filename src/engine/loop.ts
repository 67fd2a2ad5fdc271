import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TaskKind, taskFacts } from '../jobs/task-kinds.ts';
import {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  type Scheduled,
  type Store,
  type TaskGroup,
  type Transaction,
} from '../store/store.ts';
import { claimFairly, FairSlots, type Found, type Quota } from './claim-fairly.ts';
import { FailingKinds, type LoopState } from './failing-kinds.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/redact.ts';

export const LEASE_MS = 24_000;
const RENEW_INTERVAL_MS = 8_000;
/** Finds what other replicas scheduled. */
const IDLE_POLL_MS = 1_000;
/** A due task that cannot be claimed is locked by another process: do not ask in a tight loop. */
const SHORTEST_PAUSE_MS = 100;
const PAUSE_AFTER_ERROR_MS = 1_000;
const PAUSE_FOR_REQUESTS_MS = 5;
/** Bounds the wait to 50 ms. */
const MAX_PAUSES = 10;
const REST_OF_STOP_MS = 3_000;
const STUCK_AFTER_MS = 60_000;

export type TaskHandler = (task: ClaimedTask) => Promise<void>;

export type TaskHandlers = Readonly<Partial<Record<TaskKind, TaskHandler>>>;

export type LoopOptions = Readonly<{
  name: string;
  store: Store;
  clock: Clock;
  log: Logger;
  /** A handler completes or postpones its task itself. */
  handlers: TaskHandlers;
  concurrency: number;
  quota?: Quota;
  /** For the whole program's stop. */
  stopWithinMs: number;
  requestsInFlight: () => number;
}>;

export class Loop {
  private readonly options: LoopOptions;
  private readonly kinds: readonly TaskKind[];
  private readonly slots: FairSlots;
  private usedUp: ReadonlyMap<TaskGroup, number> = new Map();
  private readonly inFlight = new Map<ClaimedTask, Promise<void>>();
  private readonly released = new Set<ClaimedTask>();
  private readonly failing: FailingKinds;
  private running: Promise<void> | null = null;
  private lookedAtMs = 0;
  private stopping = false;
  private notified = false;
  /** The last claim had too few free slots for all due tasks. */
  private isBehind = false;
  /** The last claim that could use all free slots had too few. */
  private isShort = false;
  private wake: () => void = () => {};
  private cancelRenewal: () => void = () => {};

  constructor(options: LoopOptions) {
    this.options = options;
    this.slots = new FairSlots(options.concurrency);
    this.kinds = Object.keys(options.handlers) as TaskKind[];
    this.failing = new FailingKinds(options);
  }

  start(): void {
    if (this.running !== null) return;
    this.stopping = false;
    this.lookedAtMs = this.options.clock.now();
    this.running = this.run().finally(() => {
      this.running = null;
    });
  }

  notify(scheduled: Scheduled): void {
    const soonMs = this.options.clock.now() + IDLE_POLL_MS;
    for (const [kind, atMs] of scheduled) if (atMs <= soonMs && this.kinds.includes(kind)) this.lookNow();
  }

  private lookNow(): void {
    this.notified = true;
    this.wake();
  }

  /** Waits until the claimed tasks are done. */
  async tick(): Promise<number> {
    const { tasks } = await this.look(this.options.clock.now());
    await Promise.all(tasks.map((task) => this.take(task)));
    return tasks.length;
  }

  /** Releases tasks that do not finish in time. */
  async stop(): Promise<void> {
    const { clock } = this.options;
    this.stopping = true;
    this.wake();
    const untilMs = clock.now() + this.options.stopWithinMs - REST_OF_STOP_MS;
    await this.running;
    await clock.timeout(untilMs - clock.now(), Promise.all(this.inFlight.values()), 'late');
    await this.releaseUnfinished();
    this.cancelRenewal();
  }

  state(): LoopState {
    const { name, clock } = this.options;
    const silentMs = clock.now() - this.lookedAtMs;
    let problem = null;
    if (this.running === null) problem = `the ${name} loop has ended`;
    else if (silentMs > STUCK_AFTER_MS)
      problem = `the ${name} loop has not looked for work for ${Math.round(silentMs / 1000)} s`;
    return {
      name,
      problem,
      tasks: this.kinds,
      tasksInFlight: this.inFlight.size,
      failing: this.failing.list(),
    };
  }

  private async run(): Promise<void> {
    this.renewRegularly();
    while (!this.stopping) {
      this.notified = false;
      let wakeAtMs: number;
      try {
        const claimedAtMs = this.options.clock.now();
        const { tasks, dueAtMs } = await this.look(claimedAtMs);
        this.lookedAtMs = this.options.clock.now();
        for (const task of tasks) void this.take(task).then(() => this.lookIfBehind());
        if (tasks.length > 0) {
          // On SQLite, all of this runs in one turn of the event loop: a backlog must not starve sockets and
          // timers.
          await nextTurn();
          await this.yieldToRequests();
          if (this.isBehind || (dueAtMs !== null && dueAtMs <= claimedAtMs)) continue;
        }
        wakeAtMs = this.nextLookAtMs(claimedAtMs, dueAtMs);
      } catch (error) {
        this.options.log.error('loop_failed', { loop: this.options.name, error });
        wakeAtMs = this.options.clock.now() + PAUSE_AFTER_ERROR_MS;
        this.notified = false;
      }
      await this.sleepUntil(wakeAtMs);
    }
  }

  private async look(nowMs: number): Promise<Pick<Found, 'tasks' | 'dueAtMs'>> {
    const { store, quota = null } = this.options;
    const limit = this.freeSlots();
    const { free } = this.slots;
    this.isBehind = limit <= 0;
    if (limit <= 0) return { tasks: [], dueAtMs: null };
    // If requests limit the claim, there is no queue to be fair to.
    const isBehind = this.isShort && limit === free;
    const { kinds, slots, usedUp } = this;
    const claim = async (tx: Transaction) => {
      const leaseNowMs = await tx.tasks.leaseNowMs();
      const lease = { leaseNowMs, leaseUntilMs: leaseNowMs + LEASE_MS, inFlight: this.leases() };
      return claimFairly(tx, { kinds, nowMs, ...lease, limit, slots, quota, usedUp, isBehind });
    };
    const found = await store.transaction(claim);
    this.isBehind = found.isBehind;
    if (limit === free) this.isShort = found.isBehind;
    this.usedUp = found.usedUp;
    // Tasks that finished during the claim did not know that more are due.
    if (this.slots.free > free) this.lookIfBehind();
    return found;
  }

  private freeSlots(): number {
    const { requestsInFlight } = this.options;
    const { free } = this.slots;
    return requestsInFlight() > 0 ? Math.min(free, 1) : free;
  }

  /** Slack gives requests three seconds. */
  private async yieldToRequests(): Promise<void> {
    for (let pauses = 0; pauses < MAX_PAUSES && this.options.requestsInFlight() > 0; pauses += 1) {
      await this.options.clock.pause(PAUSE_FOR_REQUESTS_MS);
    }
  }

  private lookIfBehind(): void {
    if (this.isBehind) this.lookNow();
  }

  private take(task: ClaimedTask): Promise<void> {
    this.slots.add(task.group);
    const done = this.handle(task).finally(() => {
      this.slots.giveBack(task.group);
      this.inFlight.delete(task);
    });
    this.inFlight.set(task, done);
    return done;
  }

  private async handle(task: ClaimedTask): Promise<void> {
    const { log, clock, handlers } = this.options;
    const startedAtMs = clock.now();
    const facts = { task: task.kind, subject: task.subject, attempts: task.attempts };
    const ended = (outcome: string) => ({ ...facts, outcome, duration_ms: clock.now() - startedAtMs });
    try {
      await handlers[task.kind]?.(task);
      this.failing.done(task);
      log.debug('task_done', ended('done'));
    } catch (error) {
      if (this.released.has(task)) return;
      if (error instanceof LeaseLostError) {
        log.warn('task_lease_lost', ended('lease_lost'));
        return;
      }
      log.error('task_failed', { ...ended('failed'), error });
      await this.failing.putOff(task, error);
    }
  }

  /** The next process finds their calls in the ledger. */
  private async releaseUnfinished(): Promise<void> {
    const { log, store } = this.options;
    const tasks = [...this.inFlight.keys()];
    if (tasks.length === 0) return;
    for (const task of tasks) {
      this.released.add(task);
      log.warn('task_released', { task: task.kind, subject: task.subject });
    }
    // Leases of projections expire instead: a late request of this process must not overwrite a newer state.
    const free = tasks.filter(({ kind }) => taskFacts(kind).isProjection !== true);
    await store
      .transaction((tx) => tx.tasks.release(free.map(({ lease }) => lease)))
      // A stop succeeds without a store: leases expire by themselves.
      .catch((error: unknown) => log.error('tasks_not_released', { error }));
  }

  private nextLookAtMs(claimedAtMs: number, dueAtMs: number | null): number {
    const nowMs = this.options.clock.now();
    const idleMs = nowMs + IDLE_POLL_MS;
    if (dueAtMs !== null && dueAtMs <= claimedAtMs) return nowMs + SHORTEST_PAUSE_MS;
    return Math.min(dueAtMs ?? idleMs, idleMs);
  }

  private async sleepUntil(atMs: number): Promise<void> {
    if (this.notified || this.stopping || atMs <= this.options.clock.now()) return;
    await new Promise<void>((resolve) => {
      const cancel = this.options.clock.at(atMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  private renewRegularly(): void {
    this.cancelRenewal = this.options.clock.at(this.options.clock.now() + RENEW_INTERVAL_MS, () => {
      void this.renew().finally(() => {
        if (!this.stopping || this.inFlight.size > 0) this.renewRegularly();
      });
    });
  }

  private leases(): Lease[] {
    return [...this.inFlight.keys()].map(({ lease }) => lease);
  }

  private async renew(): Promise<void> {
    if (this.inFlight.size === 0) return;
    const leases = this.leases();
    try {
      await this.options.store.transaction(async (tx) =>
        tx.tasks.renew(leases, (await tx.tasks.leaseNowMs()) + LEASE_MS),
      );
    } catch (error) {
      this.options.log.error('leases_not_renewed', { loop: this.options.name, error });
    }
  }
}
