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
const RETRY_MS = 60_000;
/** `processing` expires after an hour. */
const RENEW_MS = 45 * 60_000;
const REMEMBERED_MS = 2 * 3_600_000;
/** Posts share the connections. */
const MAX_IN_FLIGHT = 8;

function sessionStatus({ clock, log, workspaces }: FeatureTools) {
  /** By job, oldest first. `state` null: it may not have arrived. */
  const shown = new Map<string, { readonly state: SessionState | null; readonly atMs: number }>();
  /** By workspace, after a refusal. */
  const pausedUntilMs = new Map<string, number>();
  /** Jobs with a call in flight, and a newer state. */
  const inFlight = new Map<string, Job | null>();

  function note(jobId: string, state: SessionState | null) {
    const atMs = clock.now();
    for (const [id, old] of shown) {
      if (old.atMs + REMEMBERED_MS > atMs) break;
      shown.delete(id);
    }
    shown.delete(jobId);
    shown.set(jobId, { state, atMs });
  }

  async function show(job: Job, isCheck: boolean) {
    const { id, teamId, channelId, threadTs } = job;
    const state = sessionStateOf(job);
    const nowMs = clock.now();
    if (state === null || threadTs === null || nowMs < (pausedUntilMs.get(teamId) ?? 0)) return;
    if (inFlight.has(id)) {
      inFlight.set(id, job);
      return;
    }
    const last = shown.get(id);
    // Jobs that ended before this process are shown only on a change.
    if (last === undefined && isCheck && state !== 'processing') return;
    // The clock may have been set back.
    const ageMs = last === undefined ? Number.POSITIVE_INFINITY : Math.abs(nowMs - last.atMs);
    if (last?.state === null && ageMs < RETRY_MS) return;
    if (last?.state === state && (state !== 'processing' || ageMs < RENEW_MS)) return;
    if (inFlight.size >= MAX_IN_FLIGHT) return;
    note(id, state);
    inFlight.set(id, null);
    try {
      const { poster } = await workspaces.of(teamId);
      await poster.setSessionState(channelId, threadTs, state);
    } catch (error) {
      const failure = error instanceof SlackCallError ? error.failure : null;
      log.debug('status_not_shown', { reason: failure?.code ?? String(error) });
      // A refusal of one place does not pause the workspace.
      if (failure === null || !isPlaceGone(failure.code)) {
        note(id, null);
        if (failure !== null && isErrorAnswer(failure)) pausedUntilMs.set(teamId, clock.now() + PAUSE_MS);
      }
    }
    const changed = inFlight.get(id) ?? null;
    inFlight.delete(id);
    if (changed !== null) void show(changed, false);
  }

  return show;
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
