import { type Clock, periodically } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import type { LiveThreads } from '../../../store/queries/catch-ups.ts';
import type { Store } from '../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';

const SIGNS = 'signs';
const RETRY_MS = 1_000;
/** While Slack keeps redelivering requests. */
const SIGNS_EVERY_MS = 60_000;
/** Threads of ended jobs requested longer ago are not read again. */
const LIVE_FOR_MS = 14 * 86_400_000;
/** In each workspace: at Slack's usual limit, they are read within a quarter of an hour. */
const MAX_THREADS = 500;
const SWEEP_EVERY_MS = 15 * 60_000;
/** A sweep skips threads of ended jobs requested longer ago. */
const SWEPT_FOR_MS = 86_400_000;

/** Plans to read threads in which replies may have been missed. */
export function missedReplies(store: Store, clock: Clock, log: Logger) {
  /** Planned looks, and how to call them off: one for signs, and one for each workspace that is held back. */
  const planned = new Map<string, () => void>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  type Wanted = Pick<LiveThreads, 'isSweep'> & Partial<LiveThreads>;

  async function schedule(more: Wanted): Promise<void> {
    const nowMs = clock.now();
    const all = { teamId: null, sinceMs: nowMs - LIVE_FOR_MS, limit: MAX_THREADS, nowMs, fromMs: nowMs };
    const workspaces = await store.transaction((tx) => tx.catchUps.requestLive({ ...all, ...more }));
    for (const [teamId, threads] of workspaces) {
      log[more.isSweep ? 'debug' : 'info']('catch_up_planned', { team_id: teamId, threads });
    }
  }

  async function trySchedule(more: Wanted): Promise<boolean> {
    try {
      await schedule(more);
      return true;
    } catch (error) {
      log.error('catch_up_not_scheduled', { error });
      return false;
    }
  }

  function callOff(key: string): void {
    planned.get(key)?.();
    planned.delete(key);
  }

  async function look(key: string, teamId: string | null): Promise<void> {
    callOff(key);
    if (key === SIGNS) lookedAtMs = clock.now();
    const isDone = await trySchedule({ isSweep: false, teamId });
    if (!isDone && !planned.has(key)) lookAt(clock.now() + RETRY_MS, key, teamId);
  }

  function lookAt(atMs: number, key: string, teamId: string | null): void {
    callOff(key);
    if (isStopped) return;
    const cancel = clock.at(atMs, () => void look(key, teamId));
    planned.set(key, cancel);
  }

  const sweeps = periodically(clock, { firstAfterMs: SWEEP_EVERY_MS, everyMs: SWEEP_EVERY_MS }, async () => {
    await trySchedule({ isSweep: true, sinceMs: clock.now() - SWEPT_FOR_MS });
  });

  return {
    /** As soon as the store allows. */
    lookFor: () => void look(SIGNS, null),
    /** As `lookFor`, at most once a minute: for frequent signs. */
    lookForSoon: (): void => {
      if (planned.has(SIGNS)) return;
      lookAt(Math.max(clock.now(), lookedAtMs + SIGNS_EVERY_MS), SIGNS, null);
    },
    /** Slack delivers no events of the workspace (null: unknown) until then, nor later. */
    heldBack: async (teamId: string | null, untilMs: number): Promise<void> => {
      // By Slack's clock, which may differ from ours.
      const fromMs = Math.max(clock.now(), untilMs + CLOCK_SKEW_MS);
      await schedule({ isSweep: false, teamId, fromMs });
      // An earlier plan may run before Slack delivers again.
      lookAt(fromMs, `held back ${teamId}`, teamId);
    },
    /** From now on, also reads threads regularly, without a sign. */
    sweep: sweeps.start,
    stop: (): void => {
      isStopped = true;
      void sweeps.stop();
      for (const key of planned.keys()) callOff(key);
    },
  };
}
