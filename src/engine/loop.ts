import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { retryDelayMs } from '#jobs/schedule/schedule.ts';
import { type TaskKind, taskFacts } from '#jobs/task-kinds.ts';
import { type Clock, type Periodic, periodically } from '#runtime/clock.ts';
import { type Logger, scrub } from '#runtime/redact.ts';
import {
  type ClaimedTask,
  LeaseLostError,
  type Scheduled,
  type Store,
  type TaskGroup,
} from '#store/store.ts';
import type { EngineTools } from './apply-event.ts';
import { claimFairly, FairSlots, type Found, type Quota } from './claim-fairly.ts';

export const LEASE_MS = 24_000;
const RENEW_EVERY_MS = 8_000;
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

export type Loop = ReturnType<typeof createLoop>;

export type LoopState = ReturnType<Loop['state']>;

export function createLoop(options: LoopOptions) {
  const { name, store, clock, log, handlers, quota = null, requestsInFlight } = options;
  const kinds = Object.keys(handlers) as TaskKind[];
  const slots = new FairSlots(options.concurrency);
  const inFlight = new Map<ClaimedTask, Promise<void>>();
  const released = new Set<ClaimedTask>();
  const failing = failingKinds(options);
  let usedUp: ReadonlyMap<TaskGroup, number> = new Map();
  let running: Promise<void> | null = null;
  let lastClaimAtMs = 0;
  let isStopping = false;
  let isNotified = false;
  /** The last claim had too few free slots for all due tasks. */
  let isBehind = false;
  /** The last claim that could use all free slots had too few. */
  let isShort = false;
  let wake = () => {};
  let renewal: Periodic | null = null;

  function start(): void {
    if (running !== null) return;
    isStopping = false;
    lastClaimAtMs = clock.now();
    renewal = periodically(clock, RENEW_EVERY_MS, renew);
    renewal.start();
    running = run().finally(() => {
      running = null;
    });
  }

  function notify(scheduled: Scheduled) {
    const soonMs = clock.now() + IDLE_POLL_MS;
    for (const [kind, atMs] of scheduled) if (atMs <= soonMs && kinds.includes(kind)) claimNow();
  }

  function claimNow() {
    isNotified = true;
    wake();
  }

  /** Waits until the claimed tasks are done. */
  async function tick() {
    const { tasks } = await claim(clock.now());
    await Promise.all(tasks.map(take));
    return tasks.length;
  }

  /** Releases tasks that do not finish in time. */
  async function stop() {
    isStopping = true;
    wake();
    const untilMs = clock.now() + options.stopWithinMs - REST_OF_STOP_MS;
    await running;
    await clock.timeout(untilMs - clock.now(), Promise.all(inFlight.values()), 'late');
    await releaseUnfinished();
    void renewal?.stop();
  }

  function state() {
    const silentMs = clock.now() - lastClaimAtMs;
    let problem: string | null = null;
    if (running === null) problem = `the ${name} loop has ended`;
    else if (silentMs > STUCK_AFTER_MS)
      problem = `the ${name} loop has not looked for work for ${Math.round(silentMs / 1000)} s`;
    return { name, problem, tasks: kinds, tasksInFlight: inFlight.size, failing: failing.list() };
  }

  async function run() {
    while (!isStopping) {
      isNotified = false;
      let wakeAtMs: number;
      try {
        const claimedAtMs = clock.now();
        const { tasks, dueAtMs } = await claim(claimedAtMs);
        lastClaimAtMs = clock.now();
        for (const task of tasks) void take(task).then(claimIfBehind);
        const isDue = dueAtMs <= claimedAtMs;
        if (tasks.length > 0) {
          // On SQLite, all of this runs in one turn of the event loop: a backlog must not starve sockets and
          // timers.
          await nextTurn();
          await yieldToRequests();
          if (isBehind || isDue) continue;
        }
        const nowMs = clock.now();
        wakeAtMs = isDue ? nowMs + SHORTEST_PAUSE_MS : Math.min(dueAtMs, nowMs + IDLE_POLL_MS);
      } catch (error) {
        log.error('loop_failed', { loop: name, error });
        wakeAtMs = clock.now() + PAUSE_AFTER_ERROR_MS;
        isNotified = false;
      }
      await sleepUntil(wakeAtMs);
    }
  }

  async function claim(nowMs: number): Promise<Pick<Found, 'tasks' | 'dueAtMs'>> {
    const { free } = slots;
    const limit = requestsInFlight() > 0 ? Math.min(free, 1) : free;
    isBehind = limit <= 0;
    if (isBehind) return { tasks: [], dueAtMs: Number.POSITIVE_INFINITY };
    const found = await store.transaction(async (tx) => {
      const leaseNowMs = await tx.tasks.leaseNowMs();
      const lease = { leaseNowMs, leaseUntilMs: leaseNowMs + LEASE_MS, inFlight: leasesInFlight() };
      // If requests limit the claim, there is no queue to be fair to.
      const wasShort = isShort && limit === free;
      return claimFairly(tx, { kinds, nowMs, ...lease, limit, slots, quota, usedUp, isBehind: wasShort });
    });
    isBehind = found.isBehind;
    if (limit === free) isShort = found.isBehind;
    usedUp = found.usedUp;
    // Tasks that finished during the claim did not know that more are due.
    if (slots.free > free) claimIfBehind();
    return found;
  }

  /** Slack gives requests three seconds. */
  async function yieldToRequests() {
    for (let pauses = 0; pauses < MAX_PAUSES && requestsInFlight() > 0; pauses += 1) {
      await sleep(PAUSE_FOR_REQUESTS_MS);
    }
  }

  function claimIfBehind() {
    if (isBehind) claimNow();
  }

  function take(task: ClaimedTask) {
    slots.add(task.group);
    const done = handle(task).finally(() => {
      slots.giveBack(task.group);
      inFlight.delete(task);
    });
    inFlight.set(task, done);
    return done;
  }

  async function handle(task: ClaimedTask) {
    const startedAtMs = clock.now();
    const facts = { task: task.kind, subject: task.subject, attempts: task.attempts };
    const ended = (outcome: string) => ({ ...facts, outcome, duration_ms: clock.now() - startedAtMs });
    try {
      await handlers[task.kind]?.(task);
      failing.done(task);
      log.debug('task_done', ended('done'));
    } catch (error) {
      if (released.has(task)) return;
      if (error instanceof LeaseLostError) {
        log.warn('task_lease_lost', ended('lease_lost'));
        return;
      }
      log.error('task_failed', { ...ended('failed'), error });
      await failing.retryLater(task, error);
    }
  }

  /** The next process finds their calls in the ledger. */
  async function releaseUnfinished() {
    const tasks = [...inFlight.keys()];
    if (tasks.length === 0) return;
    for (const task of tasks) {
      released.add(task);
      log.warn('task_released', { task: task.kind, subject: task.subject });
    }
    // Leases of projections expire instead: a late request of this process must not overwrite a newer state.
    const free = tasks.filter(({ kind }) => taskFacts(kind).isProjection !== true);
    await store
      .transaction((tx) => tx.tasks.release(free.map(({ lease }) => lease)))
      // A stop succeeds without a store: leases expire by themselves.
      .catch((error: unknown) => log.error('tasks_not_released', { error }));
  }

  async function sleepUntil(atMs: number) {
    if (isNotified || isStopping || atMs <= clock.now()) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.at(atMs, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  function leasesInFlight() {
    return [...inFlight.keys()].map(({ lease }) => lease);
  }

  async function renew(): Promise<undefined> {
    if (inFlight.size === 0) return;
    const leases = leasesInFlight();
    await store
      .transaction(async (tx) => tx.tasks.renew(leases, (await tx.tasks.leaseNowMs()) + LEASE_MS))
      .catch((error: unknown) => log.error('leases_not_renewed', { loop: name, error }));
  }

  return { start, notify, tick, stop, state };
}

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
function failingKinds({ store, clock, log }: Pick<EngineTools, 'store' | 'clock' | 'log'>) {
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
