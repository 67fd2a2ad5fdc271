import { type Clock, periodically } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import type { LiveThreads } from '../../../store/queries/catch-ups.ts';
import type { Store } from '../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';

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
  let isWanted = false;
  let isPlanning = false;
  let plannedAtMs = Number.NEGATIVE_INFINITY;
  let cancelPlan = () => {};
  /** By workspace: an earlier plan may have run before Slack delivered again. */
  const cancelLastLook = new Map<string | null, () => void>();

  type Wanted = Pick<LiveThreads, 'isSweep'> & Partial<LiveThreads>;

  async function schedule(more: Wanted): Promise<void> {
    const nowMs = clock.now();
    const all = { teamId: null, sinceMs: nowMs - LIVE_FOR_MS, limit: MAX_THREADS, nowMs, fromMs: nowMs };
    const planned = await store.transaction((tx) => tx.catchUps.requestLive({ ...all, ...more }));
    for (const [teamId, threads] of planned) {
      log[more.isSweep ? 'debug' : 'info']('catch_up_planned', { team_id: teamId, threads });
    }
  }

  async function plan(): Promise<void> {
    if (isPlanning || !isWanted) return;
    isPlanning = true;
    isWanted = false;
    plannedAtMs = clock.now();
    const isPlanned = await trySchedule({ isSweep: false });
    isPlanning = false;
    // Requested again meanwhile.
    if (isPlanned) return plan();
    isWanted = true;
    planAt(clock.now() + RETRY_MS);
  }

  function planAt(atMs: number): void {
    cancelPlan();
    cancelPlan = clock.at(atMs, () => void plan());
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

  const sweeps = periodically(clock, { firstAfterMs: SWEEP_EVERY_MS, everyMs: SWEEP_EVERY_MS }, async () => {
    await trySchedule({ isSweep: true, sinceMs: clock.now() - SWEPT_FOR_MS });
  });

  return {
    /** As soon as the store allows. */
    lookFor: (): void => {
      isWanted = true;
      cancelPlan();
      void plan();
    },
    /** As `lookFor`, at most once a minute: for frequent signs. */
    lookForSoon: (): void => {
      if (isWanted) return;
      isWanted = true;
      planAt(Math.max(clock.now(), plannedAtMs + SIGNS_EVERY_MS));
    },
    /** Slack delivers no events of the workspace (null: unknown) until then, nor later. */
    heldBack: async (teamId: string | null, untilMs: number): Promise<void> => {
      // By Slack's clock, which may differ from ours.
      const fromMs = Math.max(clock.now(), untilMs + CLOCK_SKEW_MS);
      await schedule({ isSweep: false, teamId, fromMs });
      cancelLastLook.get(teamId)?.();
      cancelLastLook.set(
        teamId,
        clock.at(fromMs, () => {
          cancelLastLook.delete(teamId);
          void trySchedule({ isSweep: false, teamId });
        }),
      );
    },
    /** From now on, also reads threads regularly, without a sign. */
    sweep: sweeps.start,
    stop: (): void => {
      isWanted = false;
      cancelPlan();
      void sweeps.stop();
      for (const cancel of cancelLastLook.values()) cancel();
    },
  };
}
