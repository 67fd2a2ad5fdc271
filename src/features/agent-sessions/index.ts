import type { JobEvent } from '#jobs/event.ts';
import { canStop, isStopping, isUnwatched, type Job, watchQuestionOf } from '#jobs/job.ts';
import { isAdmitted, refusalInThread } from '#slack/inbound/admission.ts';
import { noteRequest } from '#slack/inbound/connection/requests.ts';
import type { EventListener } from '#slack/inbound/listener.ts';
import { applyOnce } from '#slack/inbound/once.ts';
import { isPlaceGone } from '#slack/protocol/error-codes.ts';
import { isErrorAnswer, SlackCallError } from '#slack/workspace/caller.ts';
import type { SessionState } from '#slack/workspace/poster.ts';
import type { Feature, FeatureTools } from '../feature.ts';

export const agentSessions: Feature = {
  shows: sessionStatus,
  listeners: () => ({ events: { agent_session_stopped: sessionStopped } }),
};

const sessionStopped: EventListener<'agent_session_stopped'> = async (deps, { event, body }) => {
  const { user: userId, channel: channelId, thread_ts: threadTs } = event;
  const { teamId, store } = deps;
  const stopper = { userId, channelId, threadTs };
  if (!(await isAdmitted(deps, stopper, refusalInThread(stopper)))) return;
  const keys = [`event:${teamId}:${body.event_id}`];
  const jobId = await store.transaction(async (tx) => {
    const found = await tx.jobs.findByThread(teamId, channelId, threadTs);
    const job = found === null ? null : await tx.jobs.get(found);
    if (job === null) return null;
    const stop: JobEvent =
      canStop(job) || isStopping(job)
        ? { type: 'stop_pressed', userId }
        : { type: 'stop_watching_pressed', question: watchQuestionOf(job), userId, inSession: true };
    await applyOnce(tx, deps, { userId, keys }, { button: 'session', jobId: job.id, event: stop });
    return job.id;
  });
  noteRequest(jobId === null ? { outcome: 'ignored' } : { outcome: 'accepted', jobId });
};

/** Apps rarely gain permissions. */
const PAUSE_MS = 3_600_000;
const MAX_IN_FLIGHT = 8;

function sessionStatus({ clock, log, workspaces }: FeatureTools) {
  const shown = new ShownStates();
  /** By workspace, after a refusal. */
  const pausedUntilMs = new Map<string, number>();
  /** Jobs with a call in flight, and a newer state. */
  const inFlight = new Map<string, Job | null>();

  async function show(job: Job, isCheck: boolean) {
    const { id, teamId, channelId, threadTs } = job;
    const state = sessionStateOf(job);
    const atMs = clock.now();
    if (state === null || threadTs === null || atMs < (pausedUntilMs.get(teamId) ?? 0)) return;
    if (inFlight.has(id)) {
      inFlight.set(id, job);
      return;
    }
    if (inFlight.size >= MAX_IN_FLIGHT || !shown.take(id, teamId, { state, atMs }, isCheck)) return;
    inFlight.set(id, null);
    try {
      const { poster } = await workspaces.of(teamId);
      await poster.setSessionState(channelId, threadTs, state);
    } catch (error) {
      const failure = error instanceof SlackCallError ? error.failure : null;
      log.debug('status_not_shown', { reason: failure?.code ?? String(error) });
      // A refusal of one place does not pause the workspace.
      if (failure === null || !isPlaceGone(failure.code)) {
        const isRefused = failure !== null && isErrorAnswer(failure);
        shown.noteFailure(id, isRefused);
        if (isRefused) pausedUntilMs.set(teamId, clock.now() + PAUSE_MS);
      }
    }
    const changed = inFlight.get(id) ?? null;
    inFlight.delete(id);
    if (changed !== null) void show(changed, false);
  }

  return show;
}

export type Shown = Readonly<{ state: SessionState; atMs: number }>;

/** `processing` expires after an hour. */
const RENEW_MS = 45 * 60_000;
const RETRY_MS = 60_000;
const REMEMBERED_MS = 2 * 3_600_000;
const MINUTE_MS = 60_000;
/** Slack's limit for a workspace. Changes go first. */
const PER_MINUTE = 50;
const RENEWALS_PER_MINUTE = 40;

export class ShownStates {
  private readonly last = new Map<string, Shown & { readonly isSure: boolean }>();
  private readonly minutes = new Map<string, { readonly startMs: number; count: number }>();

  /**
   * Whether to show it; it then counts as shown.
   * @param isCheck not a change: the shown state may be missing or about to expire
   */
  take(jobId: string, teamId: string, shown: Shown, isCheck: boolean): boolean {
    const { state, atMs } = shown;
    const before = this.last.get(jobId);
    // The clock may have been set back.
    const last = before !== undefined && before.atMs <= atMs ? before : null;
    if (last === null) {
      // Jobs that ended before this process are shown only on a change.
      if (isCheck && state !== 'processing') return false;
    } else if (!last.isSure) {
      if (atMs < last.atMs + RETRY_MS) return false;
    } else if (last.state === state && (state !== 'processing' || atMs < last.atMs + RENEW_MS)) return false;
    const limit = last?.state === state ? RENEWALS_PER_MINUTE : PER_MINUTE;
    let minute = this.minutes.get(teamId);
    if (minute === undefined || Math.abs(atMs - minute.startMs) >= MINUTE_MS)
      minute = { startMs: atMs, count: 0 };
    if (minute.count >= limit) return false;
    minute.count += 1;
    this.minutes.set(teamId, minute);
    for (const [id, old] of this.last) {
      if (old.atMs + REMEMBERED_MS > atMs) break;
      this.last.delete(id);
    }
    this.last.delete(jobId);
    this.last.set(jobId, { ...shown, isSure: true });
    return true;
  }

  /** @param isRefused nothing was shown */
  noteFailure(jobId: string, isRefused: boolean): void {
    const last = this.last.get(jobId);
    if (isRefused) this.last.delete(jobId);
    else if (last !== undefined) this.last.set(jobId, { ...last, isSure: false });
  }
}

/** Null: uncertain; the current one may stay. */
export function sessionStateOf(job: Job): SessionState | null {
  const { stage, agentJob, trouble } = job;
  if (isUnwatched(job)) return 'closed';
  const { kind } = stage;
  if (kind === 'create_unknown') return 'suspended';
  if (kind === 'rejected' || kind === 'ended') return 'active';
  if (kind !== 'creating' && kind !== 'working') return null;
  if (trouble?.kind === 'needs_admin') return 'suspended';
  return kind === 'working' && agentJob?.status === 'active' ? 'processing' : null;
}
