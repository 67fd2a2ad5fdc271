import type { Job } from '../../../jobs/job.ts';
import { sessionStateOf } from '../../../jobs/shown/session-state.ts';
import { isPlaceGone } from '../../protocol/error-codes.ts';
import { SlackCallError, wasAnsweredNo } from '../../workspace/web-api/failure.ts';
import type { SlackTools } from '../slack-tools.ts';
import { ShownStates } from './shown-states.ts';

/** An app becomes an agent, or gets a permission, hardly ever. */
const PAUSE_MS = 3_600_000;
/** Slack may be slow, and this must not pile up. */
const MAX_IN_FLIGHT = 8;

/** How a job stands, as the state of an agent's session in its thread. Best effort: nothing waits, and nothing fails. */
export class SessionStatus {
  private readonly shown = new ShownStates();
  /** By the workspace: Slack said no, and is not asked again until then. */
  private readonly pausedUntilMs = new Map<string, number>();
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
    if (state === null || threadTs === null || nowMs < (this.pausedUntilMs.get(teamId) ?? 0)) return;
    if (this.busy.has(id)) {
      this.busy.set(id, job);
      return;
    }
    const wanted = { state, atMs: nowMs };
    if (!this.shown.isDue(id, wanted, isCheck) || this.busy.size >= MAX_IN_FLIGHT) return;
    if (!this.shown.take(id, teamId, wanted)) return;
    this.busy.set(id, null);
    tools.workspaces
      .of(teamId)
      .then(({ poster }) => poster.setSessionState(channelId, threadTs, state))
      .catch((error: unknown) => this.noteFailure(tools, job, error))
      .finally(() => {
        const since = this.busy.get(id) ?? null;
        this.busy.delete(id);
        if (since !== null) this.changed(tools, since);
      });
  }

  private noteFailure({ log, clock }: SlackTools, { id, teamId }: Job, error: unknown) {
    const failure = error instanceof SlackCallError ? error.failure : null;
    log.debug('status_not_shown', { reason: failure?.code ?? String(error) });
    // It says nothing of the app, and is not tried again before the job changes.
    if (failure !== null && isPlaceGone(failure.code)) return;
    const isRefused = failure !== null && wasAnsweredNo(failure);
    this.shown.noteFailure(id, isRefused);
    if (isRefused) this.pausedUntilMs.set(teamId, clock.now() + PAUSE_MS);
  }
}
