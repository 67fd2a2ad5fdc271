import { type Clock, periodically } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import type { LiveThreads } from '#store/queries/catch-ups.ts';
import type { Store } from '#store/store.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';

const SIGNS = 'signs';
const RETRY_MS = 1_000;
const SIGNS_EVERY_MS = 60_000;
/** Skips ended jobs requested earlier. */
const LIVE_FOR_MS = 14 * 86_400_000;
/** Per workspace. Takes 15 minutes at Slack's usual limit. */
const MAX_THREADS = 500;
const SWEEP_EVERY_MS = 15 * 60_000;
const SWEPT_FOR_MS = 86_400_000;

export function missedReplies(store: Store, clock: Clock, log: Logger) {
  /** For signs, and per delayed workspace. */
  const planned = new Map<string, () => void>();
  let lastSignsAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  async function request(threads: Partial<LiveThreads>) {
    const nowMs = clock.now();
    const all = { teamId: null, sinceMs: nowMs - LIVE_FOR_MS, limit: MAX_THREADS, nowMs, fromMs: nowMs };
    const live = { ...all, isSweep: false, ...threads };
    const counts = await store.transaction((tx) => tx.catchUps.requestLive(live));
    for (const [teamId, count] of counts) {
      log[live.isSweep ? 'debug' : 'info']('catch_up_planned', { team_id: teamId, threads: count });
    }
  }

  const logError = (error: unknown) => log.error('catch_up_not_scheduled', { error });

  function cancel(key: string) {
    planned.get(key)?.();
    planned.delete(key);
  }

  function requestAt(atMs: number, key: string, teamId: string | null) {
    cancel(key);
    if (isStopped) return;
    const run = () => void requestNow(key, teamId);
    planned.set(key, clock.at(atMs, run));
  }

  async function requestNow(key: string, teamId: string | null) {
    cancel(key);
    if (key === SIGNS) lastSignsAtMs = clock.now();
    try {
      await request({ teamId });
    } catch (error) {
      logError(error);
      if (!planned.has(key)) requestAt(clock.now() + RETRY_MS, key, teamId);
    }
  }

  const sweeps = periodically(clock, { firstAfterMs: SWEEP_EVERY_MS, everyMs: SWEEP_EVERY_MS }, async () => {
    await request({ isSweep: true, sinceMs: clock.now() - SWEPT_FOR_MS }).catch(logError);
    return undefined;
  });

  return {
    /** Retries until the store works. */
    lookFor: () => void requestNow(SIGNS, null),
    /** At most once a minute. */
    lookForSoon: (): void => {
      if (!planned.has(SIGNS)) requestAt(Math.max(clock.now(), lastSignsAtMs + SIGNS_EVERY_MS), SIGNS, null);
    },
    /** Slack drops the workspace's events until then. @param teamId null: unknown */
    heldBack: async (teamId: string | null, untilMs: number): Promise<void> => {
      // `untilMs` is by Slack's clock.
      const fromMs = Math.max(clock.now(), untilMs + CLOCK_SKEW_MS);
      await request({ teamId, fromMs });
      // An earlier plan may run too early.
      requestAt(fromMs, `held back ${teamId}`, teamId);
    },
    sweep: sweeps.start,
    stop: (): void => {
      isStopped = true;
      void sweeps.stop();
      for (const key of planned.keys()) cancel(key);
    },
  };
}
