import type { Job } from '../../../jobs/job.ts';
import { type SessionState, sessionStateOf } from '../../../jobs/shown/session-state.ts';
import { isPlaceGone } from '../../protocol/error-codes.ts';
import type { Poster } from '../../workspace/poster.ts';
import { SlackCallError, wasAnsweredNo } from '../../workspace/web-api/failure.ts';
import type { SlackTools } from '../slack-tools.ts';
import { type Shown, ShownStates, type StatusMethod } from './shown-states.ts';

/** An app becomes an agent, or gets a permission, hardly ever. */
const PAUSE_MS = 3_600_000;
/** Slack may be slow, and this must not pile up. */
const MAX_IN_FLIGHT = 8;
const LINE = 'is working on the docs…';

interface Known {
  /** Whether Slack took the state of a session last. */
  readonly isAgent: boolean;
  /** Slack said no: until then, it is not asked again. */
  readonly pausedUntilMs: Readonly<Record<StatusMethod, number>>;
}

const NOTHING_KNOWN: Known = { isAgent: false, pausedUntilMs: { session: 0, line: 0 } };

/**
 * How a job stands, in Slack's own words under its thread: as the state of an agent's session, or, where Slack says that
 * the app is no agent, as a line while the agent is at work. Best effort. Nothing here waits, and nothing fails.
 */
export class SessionStatus {
  private readonly shown = new ShownStates();
  /** By the workspace. */
  private readonly known = new Map<string, Known>();
  /** Workspaces that are being asked whether the app is an agent there. */
  private readonly asked = new Set<string>();
  /** Jobs whose call is in flight, and as what they changed meanwhile. */
  private readonly busy = new Map<string, Job | null>();

  /** The job may have changed. */
  changed(tools: SlackTools, job: Job): void {
    this.show(tools, job, false);
  }

  /** The job was looked at: what is shown may be out of date, or about to end by itself. */
  checked(tools: SlackTools, job: Job): void {
    this.show(tools, job, true);
  }

  private show(tools: SlackTools, job: Job, isCheck: boolean): void {
    const { id, teamId, channelId, threadTs } = job;
    const state = sessionStateOf(job);
    const nowMs = tools.clock.now();
    const method = this.methodFor(teamId, nowMs);
    if (state === null || method === null || threadTs === null) return;
    // The line goes by itself.
    if (method === 'line' && state !== 'processing') return;
    if (this.busy.has(id)) {
      this.busy.set(id, job);
      return;
    }
    const wanted: Shown = { method, state, atMs: nowMs };
    if (!this.shown.isDue(id, wanted, isCheck) || this.busy.size >= MAX_IN_FLIGHT) return;
    if (!this.shown.take(id, teamId, wanted)) return;
    this.busy.set(id, null);
    if (method === 'session') this.asked.add(teamId);
    tools.workspaces
      .of(teamId)
      .then(({ poster }) => showBy(method, poster, { channelId, threadTs, state }))
      .then(() => method === 'session' && this.note(teamId, { isAgent: true }))
      .catch((error: unknown) => this.noteFailure(tools, job, method, error))
      .finally(() => {
        if (method === 'session') this.asked.delete(teamId);
        const since = this.busy.get(id) ?? null;
        this.busy.delete(id);
        if (since !== null) this.changed(tools, since);
      });
  }

  /** The newer one is asked first, until it says no. Null: both did, or its first answer is still to come. */
  private methodFor(teamId: string, nowMs: number): StatusMethod | null {
    const { isAgent, pausedUntilMs } = this.knownOf(teamId);
    if (nowMs >= pausedUntilMs.session) return isAgent || !this.asked.has(teamId) ? 'session' : null;
    return nowMs >= pausedUntilMs.line ? 'line' : null;
  }

  private knownOf(teamId: string): Known {
    return this.known.get(teamId) ?? NOTHING_KNOWN;
  }

  private note(teamId: string, news: Partial<Known>): void {
    this.known.set(teamId, { ...this.knownOf(teamId), ...news });
  }

  private noteFailure({ log, clock }: SlackTools, { id, teamId }: Job, method: StatusMethod, error: unknown) {
    const failure = error instanceof SlackCallError ? error.failure : null;
    log.debug('status_not_shown', { method, reason: failure?.code ?? String(error) });
    // It says nothing of the app, and is not tried again before the job changes.
    if (failure !== null && isPlaceGone(failure.code)) return;
    const isRefused = failure !== null && wasAnsweredNo(failure);
    this.shown.noteFailure(id, isRefused);
    if (!isRefused) return;
    const { isAgent, pausedUntilMs } = this.knownOf(teamId);
    this.note(teamId, {
      isAgent: isAgent && method !== 'session',
      pausedUntilMs: { ...pausedUntilMs, [method]: clock.now() + PAUSE_MS },
    });
  }
}

interface Place {
  readonly channelId: string;
  readonly threadTs: string;
  readonly state: SessionState;
}

function showBy(method: StatusMethod, poster: Poster, { channelId, threadTs, state }: Place): Promise<void> {
  return method === 'session'
    ? poster.setSessionState(channelId, threadTs, state)
    : poster.setStatusLine(channelId, threadTs, LINE);
}
