import type { App } from '@slack/bolt';
import { classify } from '../../workspace/web-api/failure.ts';
import type { ConnectionOptions } from './connection.ts';
import { openSocket, type Socket, whyNotOpened } from './open-socket.ts';

/** Before the third attempt to open a connection, the second being made at once; each later pause is twice as long. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** One that was closed sooner, without an announcement, counts as one that could not be opened. */
const SHORT_LIVED_MS = 10_000;
/** Slack announces that it closes a connection some ten seconds before. If it does not close it, we do. */
const LEAVE_WITHIN_MS = 15_000;
/** Announcements that are followed by a new connection; any other says that Slack does not want one now. */
const REFRESHES: ReadonlySet<string> = new Set(['warning', 'refresh_requested']);

/** A connection of Socket Mode that is always there, as far as Slack allows it. */
export interface KeptSocket {
  init(app: App): void;
  /** Resolves when requests can arrive. Rejects if Slack refuses the token. */
  start(): Promise<void>;
  /** The program stops: what is open stays open for the requests in hand, until `stop`. */
  openNoMore(): void;
  stop(): Promise<void>;
  /** What is wrong with it now, or null. */
  problem(): string | null;
}

/**
 * Slack replaces each connection every few hours, and says so some seconds before. The next one is opened first, and
 * both are served until Slack closes the old one: there is no moment in which a command would fail. Acknowledgements go
 * out on the connection on which the request came.
 */
export function keepSocket(appToken: string, options: ConnectionOptions): KeptSocket {
  const { apiUrl, logger, log, clock, onConnected } = options;
  let app: App | null = null;
  let current: Socket | null = null;
  let leaving: Socket | null = null;
  let next: Socket | null = null;
  /** The one that Slack is going to close. */
  let dismissed: Socket | null = null;
  let isOpening = false;
  let isStopped = false;
  let wasConnected = false;
  let downSinceMs: number | null = null;
  let openedAtMs = 0;
  /** Failures to open one, and connections that did not last, since the last one that did. */
  let failures = 0;
  let retryAfterMs = 0;
  let endPause = () => {};
  let cancelGoodbye = () => {};

  function open(): Socket {
    if (app === null) throw new Error('there is nothing to take in requests');
    const socket: Socket = openSocket({
      ...{ appToken, apiUrl, logger, log, app },
      onGoodbye: (reason) => {
        if (socket !== current || socket === dismissed) return;
        log.debug('socket_dismissed', { reason });
        dismissed = socket;
        noteLife(REFRESHES.has(reason));
        void replace();
      },
      onClosed: () => {
        if (socket === leaving) leaving = null;
        if (socket !== current) return;
        current = null;
        downSinceMs = clock.now();
        if (isStopped) return;
        log.info('socket_closed', { lived_ms: clock.now() - openedAtMs });
        if (socket !== dismissed) noteLife(false);
        // Where the next one could not be opened yet, there is no time to lose now.
        if (hasLasted()) endPause();
        void replace();
      },
    });
    return socket;
  }

  const hasLasted = () => clock.now() - openedAtMs >= SHORT_LIVED_MS;

  function noteLife(isRefresh: boolean): void {
    failures = isRefresh || hasLasted() ? 0 : failures + 1;
  }

  const needsNext = () => !isStopped && (current === null || current === dismissed);

  /** Puts the next connection in the place of the current one. */
  async function replace(): Promise<void> {
    if (isOpening) return;
    isOpening = true;
    while (needsNext()) {
      await pause();
      if (needsNext()) await tryOpening();
    }
    isOpening = false;
  }

  async function tryOpening(): Promise<void> {
    try {
      await openNext();
    } catch (error) {
      if (isStopped) return;
      noteFailure(error, current === null ? 'error' : 'warn');
    }
  }

  function noteFailure(error: unknown, level: 'error' | 'warn'): void {
    failures += 1;
    retryAfterMs = classify(error).retryAfterMs ?? 0;
    log[level]('socket_not_reopened', { reason: whyNotOpened(error), failures });
  }

  async function openNext(): Promise<void> {
    next = open();
    try {
      const { connections } = await next.opened;
      if (isStopped) return await next.close();
      leave(current);
      current = next;
      openedAtMs = clock.now();
      const gap = downSinceMs === null ? {} : { down_ms: openedAtMs - downSinceMs };
      log.info('socket_opened', { connections, ...gap });
      downSinceMs = null;
      wasConnected = true;
      onConnected();
    } finally {
      next = null;
    }
  }

  function leave(socket: Socket | null): void {
    if (socket === null) return;
    void leaving?.close();
    leaving = socket;
    cancelGoodbye();
    cancelGoodbye = clock.at(clock.now() + LEAVE_WITHIN_MS, () => void socket.close());
  }

  async function pause(): Promise<void> {
    const growingMs = failures < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS);
    const ms = Math.max(growingMs, retryAfterMs);
    retryAfterMs = 0;
    if (ms > 0) await sleep(ms);
  }

  async function sleep(ms: number): Promise<void> {
    if (isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.at(clock.now() + ms, resolve);
    endPause = () => {
      cancel();
      resolve();
    };
    await promise;
  }

  return {
    init: (given) => {
      app = given;
    },
    start: async () => {
      for (;;) {
        try {
          return await openNext();
        } catch (error) {
          const { needsAdmin, outcome } = classify(error);
          if (isStopped || needsAdmin || outcome === 'refused') throw error;
          noteFailure(error, 'warn');
          await pause();
        }
      }
    },
    openNoMore: () => {
      isStopped = true;
      endPause();
    },
    stop: async () => {
      isStopped = true;
      endPause();
      cancelGoodbye();
      const open = [current, leaving, next].filter((socket) => socket !== null);
      [current, leaving] = [null, null];
      await Promise.all(open.map((socket) => socket.close()));
    },
    problem: () => {
      if (!wasConnected) return 'no Socket Mode connection yet';
      if (downSinceMs === null) return null;
      return `no Socket Mode connection for ${Math.round((clock.now() - downSinceMs) / 1000)} s`;
    },
  };
}
