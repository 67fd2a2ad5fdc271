import { onTestFinished } from 'vitest';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createLoop, type Loop } from '../../../src/engine/loop.ts';
import { StoreError } from '../../../src/store/engines/database.ts';
import { openStore } from '../../../src/store/open.ts';
import type { ClaimedTask, Scheduled, Store, Tasks, Transaction } from '../../../src/store/store.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** A moment at which the loop is held up: it has its answer from the store, and has not seen it yet. */
interface Hold {
  readonly reached: Promise<void>;
  release(): void;
}

export interface LoopWorld {
  readonly clock: TestClock;
  readonly loop: Loop;
  /** As the loop sees it. */
  requestsInFlight: number;
  /** The store without faults and holds, for the test's own hands. */
  readonly store: Store;
  readonly log: readonly { readonly event: string; readonly [field: string]: unknown }[];
  /** Ends the task, as a handler does that has done its work. */
  complete(task: ClaimedTask): Promise<void>;
  /** Schedules a check of the job, due in so many milliseconds, without waking the loop. */
  schedule(subject: string, inMs?: number): Promise<void>;
  /** Takes what is due as another process would. */
  claimElsewhere(nowMs: number): Promise<ClaimedTask[]>;
  /** The next transaction of the loop in which it makes this call is held up after its commit. */
  holdAfter(call: keyof Tasks): Hold;
  /** From now on the loop's transactions fail, until the returned function is called; counts them. */
  breakStore(): { readonly attempts: number; mend(): void };
  /** Starts the loop, which does what it can do at once. */
  start(): Promise<void>;
  /** The names of all that was logged. */
  readonly logged: string[];
  /** Lets everything happen that needs no time to pass. */
  settle(): Promise<void>;
}

/** A loop of checks on a real store in a folder of its own, with a clock that the test moves. */
export async function createLoopWorld(
  handle: (task: ClaimedTask, world: LoopWorld) => Promise<void>,
  concurrency = 10,
): Promise<LoopWorld> {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const clock = createTestClock(START_MS);
  const store = await openStore({ dataDir: folder.path }, clock.elapsed);
  onTestFinished(() => store.close());
  const log: { event: string }[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const faulty = new FaultyStore(store);
  const ended = Promise.withResolvers<void>();
  const loop = createLoop({
    name: 'check',
    store: faulty,
    clock,
    log: createLogger({ level: 'debug', destination }),
    handlers: { check_job: (task) => Promise.race([handle(task, world), ended.promise]) },
    concurrency,
    stopWithinMs: 10_000,
    requestsInFlight: () => world.requestsInFlight,
  });
  onTestFinished(() => {
    faulty.releaseAll();
    ended.resolve();
    return loop.stop();
  });
  const world: LoopWorld = {
    clock,
    loop,
    requestsInFlight: 0,
    store,
    log,
    complete: (task) => faulty.transaction((tx) => tx.tasks.complete(task.lease)),
    schedule: (subject, inMs = 0) =>
      store.transaction((tx) =>
        tx.tasks.schedule({ kind: 'check_job', subject, runAtMs: clock.now() + inMs, ifScheduled: 'keep' }),
      ),
    claimElsewhere: (nowMs) =>
      store.transaction((tx) => {
        const leaseNowMs = clock.elapsed() + nowMs - clock.now();
        const lease = { leaseNowMs, leaseUntilMs: leaseNowMs + 1_000, inFlight: [] };
        return tx.tasks.claim({ kinds: ['check_job'], nowMs, ...lease, limit: 100 });
      }),
    holdAfter: (call) => faulty.holdAfter(call),
    breakStore: () => faulty.break(),
    start: () => {
      loop.start();
      return clock.advance(0);
    },
    get logged() {
      return log.map(({ event }) => event);
    },
    settle: () => clock.advance(0),
  };
  return world;
}

/** The real store, with moments at which it is slow or fails. */
class FaultyStore implements Store {
  private readonly store: Store;
  private readonly holds: { call: keyof Tasks; reached(): void; released: Promise<void>; release(): void }[] =
    [];
  private fault: { attempts: number } | null = null;

  constructor(store: Store) {
    this.store = store;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.fault !== null) {
      this.fault.attempts += 1;
      throw new StoreError('the store cannot be used');
    }
    const called = new Set<PropertyKey>();
    const result = await this.store.transaction((tx) => work(watched(tx, called)));
    const index = this.holds.findIndex(({ call }) => called.has(call));
    const [hold] = index === -1 ? [] : this.holds.splice(index, 1);
    hold?.reached();
    await hold?.released;
    return result;
  }

  inBackground(): Store {
    return this;
  }

  heldLocks(): ReturnType<Store['heldLocks']> {
    return this.store.heldLocks();
  }

  holdAfter(call: keyof Tasks): Hold {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.holds.push({
      call,
      reached: reached.resolve,
      released: released.promise,
      release: released.resolve,
    });
    return { reached: reached.promise, release: released.resolve };
  }

  releaseAll(): void {
    for (const { release } of this.holds) release();
  }

  break() {
    const fault = { attempts: 0 };
    this.fault = fault;
    return {
      get attempts() {
        return fault.attempts;
      },
      mend: () => {
        this.fault = null;
      },
    };
  }

  onScheduled(listener: (scheduled: Scheduled) => void): () => void {
    return this.store.onScheduled(listener);
  }

  check(): Promise<void> {
    return this.store.check();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** The transaction, noting what is called of its tasks. */
function watched(tx: Transaction, called: Set<PropertyKey>): Transaction {
  const tasks = new Proxy(tx.tasks, {
    get: (target, property) => {
      called.add(property);
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return new Proxy(tx, {
    get: (target, property) => (property === 'tasks' ? tasks : Reflect.get(target, property)),
  });
}
