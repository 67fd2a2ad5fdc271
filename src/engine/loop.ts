import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { TaskGroup } from '../store/store.ts';
import {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  type Scheduled,
  type Store,
  type TaskKind,
} from '../store/store.ts';
import { claimFairly, type Found, type Ration } from './claim-fairly.ts';
import { FailingKinds } from './failing-kinds.ts';
import { FairHands } from './fair-hands.ts';
import type { LoopState } from './loop-state.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/logger.ts';

/** A crashed process's tasks are free again after this time. */
const LEASE_MS = 24_000;
const RENEW_INTERVAL_MS = 8_000;
/** Finds what other replicas scheduled; what this process schedules wakes the loop at once. */
const IDLE_POLL_MS = 1_000;
/** A due task that cannot be claimed is locked by somebody else: no need to ask again and again. */
const SHORTEST_PAUSE_MS = 100;
const PAUSE_AFTER_ERROR_MS = 1_000;
const PAUSE_FOR_GESTURES_MS = 5;
/** However many gestures come, and however long they last, a task is taken up every 50 ms. */
const MAX_PAUSES = 10;
/** What a stop needs after it has waited for what is in hand. */
const REST_OF_STOP_MS = 3_000;
/**
 * Not free for others before their lease ends: the request of a process that has stopped must not arrive after
 * that of the process that took over, and show what is out of date.
 */
const PROJECTIONS: ReadonlySet<TaskKind> = new Set(['refresh_card', 'refresh_receipts', 'refresh_home']);
/** A loop looks at least once a second; this long without a look, something holds it. */
const STUCK_AFTER_MS = 60_000;

export type TaskHandler = (task: ClaimedTask) => Promise<void>;

export interface LoopOptions {
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** What the loop claims, and who does it. A handler completes or postpones its task itself. */
  readonly handlers: Partial<Record<TaskKind, TaskHandler>>;
  /** How many tasks are in hand at most. */
  readonly concurrency: number;
  readonly ration?: Ration;
  /** How long the whole stop of the program may take, if it has to wait for these tasks. */
  readonly stopWithinMs: number;
  /** How many gestures Slack, or a person, waits for. */
  readonly requestsInHand: () => number;
}

/** Claims due tasks and hands them to their handlers, many at a time, until it is stopped. */
export class Loop {
  private readonly options: LoopOptions;
  private readonly kinds: readonly TaskKind[];
  private readonly hands: FairHands;
  /** The groups that have used up their ration, and until when. */
  private usedUp: ReadonlyMap<TaskGroup, number> = new Map();
  private readonly inHand = new Map<ClaimedTask, Promise<void>>();
  private readonly handedBack = new Set<ClaimedTask>();
  private readonly failing: FailingKinds;
  private running: Promise<void> | null = null;
  private isRunning = false;
  private lookedAtMs = 0;
  private stopping = false;
  private notified = false;
  /** Whether the last look had not hands enough for all that was due. */
  private isBehind = false;
  private wake: () => void = () => {};
  private cancelRenewal: () => void = () => {};

  constructor(options: LoopOptions) {
    this.options = options;
    this.hands = new FairHands(options.concurrency);
    this.kinds = Object.keys(options.handlers) as TaskKind[];
    this.failing = new FailingKinds(options);
  }

  start(): void {
    if (this.running !== null) return;
    this.stopping = false;
    this.isRunning = true;
    this.lookedAtMs = this.options.clock.now();
    this.running = this.run().finally(() => {
      this.isRunning = false;
    });
  }

  /** Tasks were scheduled: looks at once if any of them is its own, and due before it looks anyway. */
  notify(scheduled: Scheduled): void {
    const soonMs = this.options.clock.now() + IDLE_POLL_MS;
    if (this.kinds.some((kind) => (scheduled.get(kind) ?? Number.POSITIVE_INFINITY) <= soonMs))
      this.lookNow();
  }

  /** Claims what is due and waits until it is done. Returns how many tasks that were. */
  async tick(): Promise<number> {
    const { tasks } = await this.look(this.options.clock.now());
    await Promise.all(tasks.map((task) => this.take(task)));
    return tasks.length;
  }

  /** Claims nothing more, waits for what is in hand, and hands back what is not done in time. */
  async stop(): Promise<void> {
    const { clock } = this.options;
    this.stopping = true;
    this.wake();
    const limit = Promise.withResolvers<void>();
    const cancelLimit = clock.at(clock.now() + this.options.stopWithinMs - REST_OF_STOP_MS, limit.resolve);
    await this.running;
    await Promise.race([Promise.all(this.inHand.values()), limit.promise]);
    cancelLimit();
    await this.handBack();
    this.cancelRenewal();
    this.running = null;
  }

  state(): LoopState {
    return {
      name: this.options.name,
      problem: this.problem(),
      tasks: this.kinds,
      tasksInHand: this.inHand.size,
      failing: this.failing.list(),
    };
  }

  /** What keeps the loop from looking for work, or null. */
  private problem(): string | null {
    const { name, clock } = this.options;
    if (!this.isRunning) return `the ${name} loop has ended`;
    const silentMs = clock.now() - this.lookedAtMs;
    return silentMs > STUCK_AFTER_MS
      ? `the ${name} loop has not looked for work for ${Math.round(silentMs / 1000)} s`
      : null;
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
          // On SQLite all of this runs without a pause: a backlog must not keep sockets and timers waiting.
          await nextTurn();
          await this.letGesturesPass();
          continue;
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

  /** Claims what is due; if that is nothing, also says when the next task is. */
  private async look(nowMs: number): Promise<Pick<Found, 'tasks' | 'dueAtMs'>> {
    const { store, ration = null } = this.options;
    const limit = this.freeHands();
    this.isBehind = limit <= 0;
    if (limit <= 0) return { tasks: [], dueAtMs: null };
    const { kinds, hands, usedUp } = this;
    const found = await store.transaction(async (tx) => {
      const leaseNowMs = await tx.tasks.leaseNowMs();
      const lease = { leaseNowMs, leaseUntilMs: leaseNowMs + LEASE_MS, inHand: this.leases() };
      return claimFairly(tx, { kinds, nowMs, ...lease, limit, hands, ration, usedUp });
    });
    this.isBehind = found.isBehind;
    this.usedUp = found.usedUp;
    return found;
  }

  /** While gestures are in hand, one at each look. */
  private freeHands(): number {
    const { requestsInHand } = this.options;
    const { free } = this.hands;
    return requestsInHand() > 0 ? Math.min(free, 1) : free;
  }

  /** Gestures come first: Slack gives them three seconds, and the work can wait. */
  private async letGesturesPass(): Promise<void> {
    for (let pauses = 0; pauses < MAX_PAUSES && this.options.requestsInHand() > 0; pauses += 1) {
      await sleep(PAUSE_FOR_GESTURES_MS);
    }
  }

  /** There may be more to claim than there were hands for. */
  private lookIfBehind(): void {
    if (this.isBehind) this.lookNow();
  }

  private lookNow(): void {
    this.notified = true;
    this.wake();
  }

  private take(task: ClaimedTask): Promise<void> {
    this.hands.add(task.group);
    const done = this.handle(task).finally(() => {
      this.hands.giveBack(task.group);
      this.inHand.delete(task);
    });
    this.inHand.set(task, done);
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
      if (this.handedBack.has(task)) return;
      if (error instanceof LeaseLostError) {
        log.warn('task_lease_lost', ended('lease_lost'));
        return;
      }
      log.error('task_failed', { ...ended('failed'), error });
      await this.failing.putOff(task, error);
    }
  }

  /** Whoever takes these over finds in the ledger which of their calls are under way. */
  private async handBack(): Promise<void> {
    const { log, store } = this.options;
    const tasks = [...this.inHand.keys()];
    if (tasks.length === 0) return;
    for (const task of tasks) {
      this.handedBack.add(task);
      log.warn('task_handed_back', { task: task.kind, subject: task.subject });
    }
    const free = tasks.filter(({ kind }) => !PROJECTIONS.has(kind));
    await store
      .transaction((tx) => tx.tasks.release(free.map(({ lease }) => lease)))
      // A stop ends well without a store, too: the leases run out by themselves.
      .catch((error: unknown) => log.error('tasks_not_handed_back', { error }));
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
        if (!this.stopping || this.inHand.size > 0) this.renewRegularly();
      });
    });
  }

  private leases(): Lease[] {
    return [...this.inHand.keys()].map(({ lease }) => lease);
  }

  private async renew(): Promise<void> {
    if (this.inHand.size === 0) return;
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
