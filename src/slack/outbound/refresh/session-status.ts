import type { Job } from '../../../jobs/job.ts';
import { type SessionState, sessionStateOf } from '../../../jobs/shown/lists.ts';
import { isPlaceGone } from '../../protocol/error-codes.ts';
import { SlackCallError, wasAnsweredNo } from '../../workspace/web-api/failure.ts';
import type { SlackTools } from './refresh.ts';

/** An app rarely becomes an agent, or gets a permission. */
const PAUSE_MS = 3_600_000;
/** Slack may be slow, and this must not pile up. */
const MAX_IN_FLIGHT = 8;

/**
 * Shows a job's state as that of an agent's session in its thread. Best effort: nothing waits, and nothing
 * fails.
 */
export function sessionStatus() {
  const shown = new ShownStates();
  /** By workspace: Slack refused, and is not asked again until then. */
  const pausedUntilMs = new Map<string, number>();
  /** Jobs with a call in flight, and their changed state meanwhile. */
  const busy = new Map<string, Job | null>();

  /** @param isCheck the state may only be out of date, or about to expire */
  async function show(tools: SlackTools, job: Job, isCheck: boolean): Promise<void> {
    const { clock, log, workspaces } = tools;
    const { id, teamId, channelId, threadTs } = job;
    const state = sessionStateOf(job);
    const nowMs = clock.now();
    if (state === null || threadTs === null || nowMs < (pausedUntilMs.get(teamId) ?? 0)) return;
    if (busy.has(id)) {
      busy.set(id, job);
      return;
    }
    const wanted = { state, atMs: nowMs };
    if (!shown.isDue(id, wanted, isCheck) || busy.size >= MAX_IN_FLIGHT) return;
    if (!shown.take(id, teamId, wanted)) return;
    busy.set(id, null);
    try {
      const { poster } = await workspaces.of(teamId);
      await poster.setSessionState(channelId, threadTs, state);
    } catch (error) {
      const failure = error instanceof SlackCallError ? error.failure : null;
      log.debug('status_not_shown', { reason: failure?.code ?? String(error) });
      // A refusal of one place does not concern the app; it is tried again when the job changes.
      if (failure === null || !isPlaceGone(failure.code)) {
        const isRefused = failure !== null && wasAnsweredNo(failure);
        shown.noteFailure(id, isRefused);
        if (isRefused) pausedUntilMs.set(teamId, clock.now() + PAUSE_MS);
      }
    }
    const since = busy.get(id) ?? null;
    busy.delete(id);
    if (since !== null) void show(tools, since, false);
  }

  return {
    changed: (tools: SlackTools, job: Job) => void show(tools, job, false),
    checked: (tools: SlackTools, job: Job) => void show(tools, job, true),
  };
}

export interface Shown {
  readonly state: SessionState;
  readonly atMs: number;
}

/** `processing` expires after an hour. */
const RENEW_MS = 45 * 60_000;
/** After a call of unknown fate. */
const RETRY_MS = 60_000;
/** Nobody renews an older state. */
const REMEMBERED_MS = 2 * 3_600_000;
/** Slack takes 50 session states a minute in each workspace. Changes go first. */
const MINUTE_MS = 60_000;
const PER_MINUTE = 50;
const RENEWALS_PER_MINUTE = 40;

/** What this process has shown for each job, so that nothing is repeated without need. */
export class ShownStates {
  /** By job, the oldest first. */
  private readonly known = new Map<string, Shown & { readonly isSure: boolean }>();
  /** By workspace: calls in the minute that began then. */
  private readonly minutes = new Map<string, { readonly startMs: number; count: number }>();

  /** Whether to show it. @param isCheck only time may have passed */
  isDue(jobId: string, { state, atMs }: Shown, isCheck: boolean): boolean {
    const last = this.lastOf(jobId, atMs);
    // A job that ended before this process began is shown only if it changes.
    if (last === null) return state === 'processing' || !isCheck;
    if (!last.isSure) return atMs >= last.atMs + RETRY_MS;
    return last.state !== state || (state === 'processing' && atMs >= last.atMs + RENEW_MS);
  }

  /** Records that it is being shown; false: this minute's limit is reached. */
  take(jobId: string, teamId: string, shown: Shown): boolean {
    const { state, atMs } = shown;
    const isRenewal = this.lastOf(jobId, atMs)?.state === state;
    if (!this.hasRoom(teamId, atMs, isRenewal)) return false;
    this.forgetOld(atMs);
    this.known.delete(jobId);
    this.known.set(jobId, { ...shown, isSure: true });
    return true;
  }

  /** @param isRefused certainly nothing was shown */
  noteFailure(jobId: string, isRefused: boolean): void {
    const last = this.known.get(jobId);
    if (last === undefined) return;
    if (isRefused) this.known.delete(jobId);
    else this.known.set(jobId, { ...last, isSure: false });
  }

  private lastOf(jobId: string, nowMs: number) {
    const last = this.known.get(jobId) ?? null;
    // A time in the future dates from before the clock was set back.
    return last !== null && last.atMs > nowMs ? null : last;
  }

  private hasRoom(teamId: string, nowMs: number, isRenewal: boolean): boolean {
    const current = this.minutes.get(teamId);
    const isOver = current === undefined || Math.abs(nowMs - current.startMs) >= MINUTE_MS;
    const minute = isOver ? { startMs: nowMs, count: 0 } : current;
    if (minute.count >= (isRenewal ? RENEWALS_PER_MINUTE : PER_MINUTE)) return false;
    minute.count += 1;
    this.minutes.set(teamId, minute);
    return true;
  }

  private forgetOld(nowMs: number): void {
    for (const [jobId, { atMs }] of this.known) {
      if (atMs + REMEMBERED_MS > nowMs) return;
      this.known.delete(jobId);
    }
  }
}
