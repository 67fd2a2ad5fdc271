import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import { systemClock } from '#runtime/clock.ts';
import { type HttpServer, serveRoutes } from '#runtime/http-server.ts';
import { classify } from '../../workspace/caller.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { openSocket, type Socket, whyNotOpened } from './open-socket.ts';
import { acknowledgeAfterCommit } from './requests.ts';

/** Before the third attempt. The second follows at once; later pauses double. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** An app may always open one connection a minute, so a longer `Retry-After` is a mistake. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** A shorter life without a warning counts as a failed attempt. */
const SHORT_LIVED_MS = 10_000;
/** Slack closes a connection some ten seconds after its goodbye; after this time, we do. */
const LEAVE_WITHIN_MS = 15_000;
/** Reasons that ask for a new connection; for others, Slack does not want one now. */
const REFRESHES: ReadonlySet<string> = new Set(['warning', 'refresh_requested']);

const STILL_COUNTED_MS = 30_000;
/** Slack reports the number of connections only in a greeting, so counting opens one. */
const COUNT_EVERY_MS = 60 * 60_000;
/** How long a killed process may still count as a connected replica. */
const KILLED_COUNTED_MS = 3 * 60_000;
/** While another program is connected; and at most this often on a sign of one. */
const COUNT_AGAIN_MS = 5 * 60_000;
/** A mention arrives as two events: one count serves both. */
const JUST_COUNTED_MS = 2_000;
const COUNT_RETRY_MS = 60_000;
/** In real time. */
const COUNT_WITHIN_MS = 1_500;

/**
 * When Slack announces the end of a connection, the next one opens first, and both are served until Slack
 * closes the old one: no command fails.
 */
export function socketConnection(appToken: string, options: ConnectionOptions): Connection {
  const { log, clock, routes, onConnected } = options;
  const startedAtMs = clock.now();
  let app: App | null = null;
  let current: Socket | null = null;
  let leaving: Socket | null = null;
  /** Why another one opens. `count`: to learn the number of connections. */
  let need: 'lost' | 'goodbye' | 'count' | null = 'lost';
  let replacing: Promise<void> | null = null;
  /** All that are not closed. */
  const sockets = new Set<Socket>();
  let closedAtMs: readonly number[] = [];
  let cancelCount = () => {};
  /** When a sign of another program last triggered a count. */
  let signAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let wasConnected = false;
  let downSinceMs: number | null = null;
  let openedAtMs = 0;
  /** Since the last connection that lasted. */
  let failures = 0;
  let retryAfterMs = 0;
  let endPause = () => {};
  let cancelGoodbye = () => {};
  const count = countConnections(options, () => {
    closedAtMs = closedAtMs.filter((atMs) => Math.abs(clock.now() - atMs) < STILL_COUNTED_MS);
    return sockets.size + closedAtMs.length;
  });

  function makeSocket() {
    if (app === null) throw new Error('there is nothing to process requests');
    const socket: Socket = openSocket(app, appToken, options, {
      onGoodbye: (reason) => {
        if (socket !== current || need === 'goodbye') return;
        log.debug('socket_dismissed', { reason });
        need = 'goodbye';
        noteLife(REFRESHES.has(reason));
        void replace();
      },
      onClosed: () => {
        if (socket === leaving) leaving = null;
        sockets.delete(socket);
        closedAtMs = [...closedAtMs, clock.now()];
        if (socket !== current) return;
        const isUnannounced = need === null;
        current = null;
        need = 'lost';
        downSinceMs = clock.now();
        if (isStopped) return;
        log.info('socket_closed', { lived_ms: clock.now() - openedAtMs });
        if (isUnannounced) noteLife(false);
        // If opening the next one failed, try again at once.
        if (hasLasted()) endPause();
        void replace();
      },
    });
    sockets.add(socket);
    socket.opened.catch(() => sockets.delete(socket));
    return socket;
  }

  const hasLasted = () => clock.now() - openedAtMs >= SHORT_LIVED_MS;
  const noteLife = (isRefresh: boolean) => {
    failures = isRefresh || hasLasted() ? 0 : failures + 1;
  };

  /** Rejects if Slack refuses the first one. */
  function replace() {
    const needsNext = () => !isStopped && need !== null;
    const openUntilDone = async () => {
      while (needsNext()) {
        await pause();
        if (needsNext()) await openNext().catch(noteFailure);
      }
    };
    replacing ??= openUntilDone().finally(() => {
      replacing = null;
    });
    return replacing;
  }

  async function recount() {
    need ??= 'count';
    await replace();
  }

  function countLater() {
    cancelCount();
    if (isStopped) return;
    const isNew = clock.now() < startedAtMs + KILLED_COUNTED_MS;
    const afterMs = count.others() > 0 ? COUNT_AGAIN_MS : isNew ? KILLED_COUNTED_MS : COUNT_EVERY_MS;
    cancelCount = clock.at(clock.now() + afterMs, () => void recount());
  }

  function noteFailure(error: unknown) {
    const { needsAdmin, outcome, retryAfterMs: askedMs } = classify(error);
    if (!wasConnected && (isStopped || needsAdmin || outcome === 'refused')) throw error;
    if (isStopped) return;
    const reason = whyNotOpened(error);
    if (need === 'count') {
      need = null;
      countLater();
      return log.debug('connections_not_counted', { reason });
    }
    failures += 1;
    retryAfterMs = Math.min(askedMs ?? 0, LONGEST_RETRY_AFTER_MS);
    log[wasConnected && current === null ? 'error' : 'warn']('socket_not_reopened', { reason, failures });
  }

  async function openNext() {
    await count.expectAnother();
    if (isStopped) return;
    const next = makeSocket();
    const { connections } = await next.opened;
    if (isStopped) return next.close();
    if (current !== null) leave(current);
    current = next;
    openedAtMs = clock.now();
    log.info('socket_opened', {
      connections,
      ...(downSinceMs !== null && { down_ms: openedAtMs - downSinceMs }),
    });
    downSinceMs = null;
    wasConnected = true;
    const isCounted = count.take(connections).then(countLater);
    if (need !== 'count') onConnected();
    need = null;
    await isCounted;
    // Other programs may have taken requests.
    if (count.others() > 0) onConnected();
  }

  function leave(socket: Socket) {
    void leaving?.close();
    leaving = socket;
    cancelGoodbye();
    cancelGoodbye = clock.at(clock.now() + LEAVE_WITHIN_MS, () => void socket.close());
  }

  async function pause() {
    const growingMs = failures < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS);
    const ms = Math.max(growingMs, retryAfterMs);
    retryAfterMs = 0;
    if (ms === 0 || isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = resolve;
    await clock.timeout(ms, promise, undefined);
  }

  async function isSharedSince(sinceMs: number | null) {
    const nowMs = clock.now();
    const sureSinceMs = Math.max(sinceMs ?? 0, nowMs - COUNT_AGAIN_MS);
    // A count for another reason may be older than the other program.
    const isJustCounted = count.takenAtMs() >= signAtMs && signAtMs > nowMs - JUST_COUNTED_MS;
    const isCounted = sinceMs === null || isJustCounted || count.takenAtMs() > sureSinceMs;
    const isInVain = signAtMs > count.takenAtMs() && Math.abs(nowMs - signAtMs) < COUNT_RETRY_MS;
    if (count.others() === 0 && !isCounted && (replacing !== null || !isInVain)) {
      signAtMs = nowMs;
      await systemClock.timeout(COUNT_WITHIN_MS, recount(), undefined);
    }
    return count.others() > 0;
  }

  const receiver = acknowledgeAfterCommit(
    {
      init: (given) => {
        app = given;
      },
      start: replace,
      stop: async () => {
        cancelGoodbye();
        cancelCount();
        current = null;
        await Promise.all([...sockets].map((socket) => socket.close()));
        await count.stop();
      },
    },
    {
      ...options,
      answersAfterStop: false,
      onRedelivery: () => {
        options.onRedelivery();
        void isSharedSince(Number.NEGATIVE_INFINITY);
      },
    },
  );
  let server: HttpServer | null = null;
  return {
    receiver,
    start: async (address) => {
      server = routes.length === 0 ? null : await serveRoutes(routes, address);
      await receiver.start();
      return server?.port ?? null;
    },
    stop: async () => {
      // Open connections stay for the requests in flight.
      isStopped = true;
      endPause();
      await receiver.stop();
      await server?.close();
    },
    requestsInFlight: receiver.requestsInFlight,
    warnings: () => (count.others() === 0 ? [] : [otherProgramWords(count.others())]),
    isSharedSince,
    problem: () => {
      if (!wasConnected) return 'no Socket Mode connection yet';
      if (downSinceMs === null) return null;
      return `no Socket Mode connection for ${Math.round((clock.now() - downSinceMs) / 1000)} s`;
    },
  };
}

const REPORT_EVERY_MS = 60_000;
/** In real time: a connection opens even if the store does not answer. */
const REPORT_WITHIN_MS = 1_000;

/**
 * Connections that Slack counts beyond those of the store's replicas belong to another program with the same
 * tokens.
 */
export function countConnections(
  { store, clock, log }: Pick<ConnectionOptions, 'store' | 'clock' | 'log'>,
  ownConnections: () => number,
) {
  const id = randomUUID();
  let others = 0;
  let takenAtMs = Number.NEGATIVE_INFINITY;
  let cancelReport = () => {};
  let isStopped = false;

  /** Null: the store did not answer. @param expected about to open */
  async function report(expected = 0) {
    cancelReport();
    if (isStopped) return null;
    cancelReport = clock.at(clock.now() + REPORT_EVERY_MS, () => void report());
    const replica = { id, connections: ownConnections() + expected, otherConnections: others };
    const known = store
      .inBackground()
      .transaction((tx) => tx.replicas.report(replica, clock.now()))
      .catch((error: unknown) => {
        log.debug('connections_not_reported', { error });
        return null;
      });
    return systemClock.timeout(REPORT_WITHIN_MS, known, null);
  }

  return {
    expectAnother: () => report(1),
    take: async (reported: number | null): Promise<void> => {
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

export function otherProgramWords(others: number): string {
  const connections = others === 1 ? 'a connection' : `${others} connections`;
  return (
    `another program has ${connections} to Slack with the same tokens and gets a share of all requests: ` +
    'stop it, or give it an app of its own'
  );
}
