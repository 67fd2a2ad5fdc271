import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';
import type { Store } from '../../../store/store.ts';

const REPORT_EVERY_MS = 60_000;
/** In real time: a connection opens even if the store does not answer. */
const REPORT_WITHIN_MS = 1_000;

/**
 * Compares the number of connections that Slack reports with those of the replicas that share the store. Any
 * more belong to a program with the same tokens and another store, which takes a share of all requests.
 */
export interface ConnectionCount {
  /** Called before a connection is opened, so that no other replica miscounts. */
  expectAnother(): Promise<void>;
  /** @param reported Slack's count */
  take(reported: number | null): Promise<void>;
  /** Connections of other programs at the last count. */
  others(): number;
  takenAtMs(): number;
  stop(): Promise<void>;
}

export interface CountOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** @param ownConnections how many this process has */
export function countConnections(
  { store, clock, log }: CountOptions,
  ownConnections: () => number,
): ConnectionCount {
  const id = randomUUID();
  let others = 0;
  let takenAtMs = Number.NEGATIVE_INFINITY;
  let cancelReport = () => {};
  let isStopped = false;

  /**
   * Null: the store did not answer.
   * @param expected how many more are about to open
   */
  async function report(expected = 0): Promise<number | null> {
    cancelReport();
    if (isStopped) return null;
    cancelReport = clock.at(clock.now() + REPORT_EVERY_MS, () => void report());
    const replica = { id, connections: ownConnections() + expected, otherConnections: others };
    const known = store
      .transaction((tx) => tx.replicas.report(replica, clock.now()), { mayBeLost: true, isBackground: true })
      .catch((error: unknown) => {
        log.debug('connections_not_reported', { error });
        return null;
      });
    return systemClock.timeout(REPORT_WITHIN_MS, known, null);
  }

  return {
    expectAnother: async () => {
      await report(1);
    },
    take: async (reported) => {
      const known = reported === null ? null : await report();
      if (reported === null || known === null) return;
      takenAtMs = clock.now();
      const before = others;
      others = Math.max(0, reported - known);
      if (others === before) return;
      log[others > 0 ? 'warn' : 'info']('other_program', { connections: others, reported, known });
      await report();
    },
    others: () => others,
    takenAtMs: () => takenAtMs,
    stop: async () => {
      isStopped = true;
      cancelReport();
      const left = store.transaction((tx) => tx.replicas.leave(id, clock.now())).catch(() => {});
      await systemClock.timeout(REPORT_WITHIN_MS, left, undefined);
    },
  };
}

/** @param others its number of connections */
export function otherProgramWords(others: number): string {
  const connections = others === 1 ? 'a connection' : `${others} connections`;
  return (
    `another program has ${connections} to Slack with the same tokens and gets a share of all requests: ` +
    'stop it, or give it an app of its own'
  );
}
