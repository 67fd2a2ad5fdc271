import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import { choose, seededRandom } from '../../soak/random.ts';

/** A replica, a task that it claimed, or a person. */
interface Actor {
  readonly name: string;
  /** So much more often than others it goes on, for a while. */
  eagerness: number;
  /** What it waits to be allowed. */
  next: string | null;
  allow: () => void;
  /** Of the session with its statement, if that may have to wait for a lock. */
  pid: number | null;
  /** What it began, and waits for. */
  parts: number;
  readonly turn: (what: string) => Promise<void>;
  /** It began to do something else. */
  readonly stir: () => void;
}

/** After this share of its steps, an actor is another time as eager. */
const CHANGES = 0.1;

const acting = new AsyncLocalStorage<Actor>();

/** An actor waits until it is allowed, anybody else goes on. */
export async function turn(what: string): Promise<void> {
  await acting.getStore()?.turn(what);
}

/**
 * Lets one actor go on at a time, by a statement or a commit: a seed decides which. Who waits in the database for a lock
 * of another goes on when it has the lock. `waiting`: how many of the sessions wait for one.
 */
export function createInterleaving(seed: number, waiting: (pids: readonly number[]) => Promise<number>) {
  const random = seededRandom(seed);
  const actors = new Set<Actor>();
  const failures: unknown[] = [];
  const order: string[][] = [];
  let changed = Promise.withResolvers<void>();
  let isFree = false;
  let steps = 0;

  const stir = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  /** Begins something, as a part of whatever begins it. */
  function act<T>(name: string, work: () => Promise<T>): Promise<T> {
    const whole = acting.getStore() ?? null;
    const actor: Actor = {
      ...{ name, eagerness: random() ** 3, next: null, allow: () => {}, pid: null, parts: 0, stir },
      turn: async (what) => {
        if (isFree) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        Object.assign(actor, { next: what, allow: resolve });
        stir();
        await promise;
      },
    };
    actors.add(actor);
    if (whole !== null) whole.parts += 1;
    const ended = acting.run(actor, work).finally(() => {
      actors.delete(actor);
      if (whole !== null) whole.parts -= 1;
      stir();
    });
    ended.catch((error: unknown) => whole ?? failures.push(error));
    return ended;
  }

  /** Everybody waits to be allowed, or for a lock, or for its parts. */
  async function calm(): Promise<void> {
    for (;;) {
      const { promise: before } = changed;
      const busy = [...actors].filter(({ next, parts }) => next === null && parts === 0);
      const pids = busy.flatMap(({ pid }) => pid ?? []);
      if (pids.length < busy.length) await before;
      else if (pids.length === 0) return;
      else if ((await waiting(pids)) === pids.length && changed.promise === before) return;
    }
  }

  /** Until all has ended. `verify` throws if something is wrong after a step. */
  async function run(verify: () => void): Promise<void> {
    for (;;) {
      await calm();
      verify();
      for (const failure of failures) throw failure;
      const ready = [...actors].filter(({ next }) => next !== null);
      if (ready.length === 0) break;
      const actor = choose(
        random,
        ready.map((one) => [one.eagerness, one]),
      );
      steps += 1;
      const { name, next } = actor;
      if (order.at(-1)?.[0] !== name) order.push([name]);
      order.at(-1)?.push(next ?? '');
      if (random() < CHANGES) actor.eagerness = random() ** 3;
      actor.next = null;
      actor.allow();
    }
    const names = [...actors].map(({ name }) => name);
    if (names.length > 0)
      throw new Error(`They wait for each other, and none can go on: ${names.join(', ')}`);
  }

  return {
    act,
    run,
    /** How often one was allowed to go on. */
    steps: () => steps,
    /** Who did what, in this order. */
    told: () => order.map(([name, ...what]) => `  ${name}: ${what.join(', ')}`).join('\n'),
    /** Nobody waits for a turn any more. */
    free: async (): Promise<void> => {
      isFree = true;
      for (const { allow } of actors) allow();
      while (actors.size > 0) await changed.promise;
    },
  };
}

/** Others read what is there. */
const MAY_WAIT = /^\s*(?:insert|update|delete)\b|\bfor (?:no key update|update|key share)|_xact_lock/;
/** What the invariants read in a transaction. */
const WATCHES = 'pg_current_xact_id_if_assigned';

interface Session {
  readonly processID: number;
  getTransactionStatus(): string | null;
}

/** From now on, each statement in a transaction of an actor waits for its turn, and for locks as long as it takes. */
export function controlStatements(): Disposable {
  const { query } = Client.prototype;
  const execute = query as (this: Session, config: object, ...more: unknown[]) => Promise<unknown>;
  const inTurn = async (actor: Actor, text: string, pid: number, run: () => Promise<unknown>) => {
    const [, table = text.includes('_xact_lock') ? 'lock' : ''] =
      /\b(?:from|into|update) "?(\w+)/.exec(text) ?? [];
    await actor.turn(`${text.trim().replace(/\s.*/s, '')} ${table}`.trim());
    actor.pid = MAY_WAIT.test(text) ? pid : null;
    actor.stir();
    return run().finally(() => {
      actor.pid = null;
      actor.stir();
    });
  };
  const controlled = function (this: Session, config: { readonly text: string }, ...more: unknown[]) {
    const actor = acting.getStore();
    if (actor === undefined) return execute.call(this, config, ...more);
    const text = config.text.replace(/timeout = \d+/g, 'timeout = 0');
    const run = () => execute.call(this, { ...config, text }, ...more);
    const isFree = this.getTransactionStatus() === 'I' || text.includes(WATCHES);
    return isFree ? run() : inTurn(actor, text, this.processID, run);
  };
  Object.assign(Client.prototype, { query: controlled });
  return { [Symbol.dispose]: () => void Object.assign(Client.prototype, { query }) };
}
