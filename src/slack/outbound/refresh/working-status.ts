import { isUnwatched, type Job } from '../../../jobs/job.ts';
import { SlackCallError, saidNo } from '../../workspace/web-api/failure.ts';
import type { SlackTools } from '../slack-tools.ts';

/** Slack takes the line away by itself after two minutes. */
const RENEW_MS = 60_000;
/** A missing permission hardly changes soon. */
const PAUSE_MS = 3_600_000;
/** Slack may be slow, and this must not pile up. */
const MAX_IN_FLIGHT = 8;
const STATUS = 'is working on the docs…';

/** Slack's own line under a thread: the agent is at work. Best effort. */
export class WorkingStatus {
  private readonly spacing = new MinimumSpacing(RENEW_MS);
  /** By the workspace. */
  private readonly pausedUntilMs = new Map<string, number>();
  private inFlight = 0;

  /** Shows or renews the line if the agent is seen at work. Waits for nothing, and never fails. */
  show(tools: SlackTools, job: Job): void {
    const { stage, agentJob, teamId, channelId, threadTs } = job;
    const isAtWork = stage.kind === 'working' && agentJob?.status === 'active' && !isUnwatched(job);
    const nowMs = tools.clock.now();
    const isPaused = nowMs < (this.pausedUntilMs.get(teamId) ?? 0);
    if (!isAtWork || threadTs === null || isPaused || this.inFlight >= MAX_IN_FLIGHT) return;
    if (this.spacing.take(job.id, nowMs) > 0) return;
    this.inFlight += 1;
    tools.workspaces
      .of(teamId)
      .then(({ poster }) => poster.setStatus(channelId, threadTs, STATUS))
      .catch((error: unknown) => this.noteFailure(tools, teamId, error))
      .finally(() => {
        this.inFlight -= 1;
      });
  }

  private noteFailure({ log, clock }: SlackTools, teamId: string, error: unknown): void {
    const failure = error instanceof SlackCallError ? error.failure : null;
    log.debug('status_not_shown', { reason: failure?.code ?? String(error) });
    if (failure !== null && (saidNo(failure) || failure.needsAdmin)) {
      this.pausedUntilMs.set(teamId, clock.now() + PAUSE_MS);
    }
  }
}

/** Spaces out what happens to one subject, in this process. */
export class MinimumSpacing {
  private readonly spacingMs: number;
  /** When something happened last, the oldest first. */
  private readonly lastMs = new Map<string, number>();

  constructor(spacingMs: number) {
    this.spacingMs = spacingMs;
  }

  /** How long until it may happen again; 0: now, and then it counts as done. */
  take(subject: string, nowMs: number): number {
    const lastMs = this.lastMs.get(subject) ?? Number.NEGATIVE_INFINITY;
    // What seems to lie ahead was before the clock was set back.
    const waitMs = lastMs > nowMs ? 0 : lastMs + this.spacingMs - nowMs;
    if (waitMs > 0) return waitMs;
    this.forgetOld(nowMs);
    this.lastMs.delete(subject);
    this.lastMs.set(subject, nowMs);
    return 0;
  }

  private forgetOld(nowMs: number): void {
    for (const [subject, lastMs] of this.lastMs) {
      if (lastMs + this.spacingMs > nowMs) return;
      this.lastMs.delete(subject);
    }
  }
}
