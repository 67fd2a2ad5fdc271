import { type Dropped, type Ended, isUnwatched, type Job } from './job.ts';

export type StepResult = Readonly<
  /** `started`, `draft`: the workflow continues at once. */
  | {
      kind: 'success';
      state: 'started' | 'draft' | 'pull_request' | 'done';
      pullRequest: string | null;
    }
  | { kind: 'error'; problem: StepProblem }
>;

export type StepProblem = Readonly<
  /** `reason`: Slack's error code. */
  | { kind: 'not_posted'; reason: string }
  | { kind: 'refused'; words: string }
  | { kind: 'dropped'; why: Exclude<Dropped['why'], 'not_posted'>; byUserId: string | null }
  | { kind: 'failed'; reason?: string }
  | { kind: 'unclear' | 'draft_unseen' | 'stopped' | 'vanished' | 'archived' | 'unwatched' }
>;

export function stepResultOf(job: Job, reason: string | null): StepResult | null {
  const { origin, stage, cardTs } = job;
  if (origin.kind !== 'workflow') return null;
  if (stage.kind === 'card_failed') return failed({ kind: 'not_posted', reason: stage.reason });
  if (stage.kind === 'draft' && stage.isUnseen === true) return failed({ kind: 'draft_unseen' });
  if (stage.kind === 'dropped') {
    const { why, byUserId } = stage;
    if (why === 'not_posted') return failed({ kind: why, reason: reason ?? 'unknown' });
    return failed({ kind: 'dropped', why, byUserId });
  }
  if (!origin.waits) {
    if (cardTs !== null) return { kind: 'success', state: 'started', pullRequest: null };
    const isDrafted = stage.kind === 'draft' && stage.postTs !== null;
    return isDrafted ? { kind: 'success', state: 'draft', pullRequest: null } : null;
  }
  if (isUnwatched(job)) return failed({ kind: 'unwatched' });
  if (stage.kind === 'rejected') return failed({ kind: 'refused', words: stage.message });
  if (stage.kind === 'create_unknown') return failed({ kind: 'unclear' });
  return stage.kind === 'ended' ? endOf(stage, job) : null;
}

function endOf({ status, stoppedBy }: Ended, { announcedPrLink: pullRequest, agentJob }: Job): StepResult {
  if (status === 'failed')
    return failed({ kind: status, ...(agentJob?.reason && { reason: agentJob.reason }) });
  if (status === 'vanished') return failed({ kind: status });
  if (pullRequest !== null) return { kind: 'success', state: 'pull_request', pullRequest };
  if (stoppedBy !== undefined) return failed({ kind: 'stopped' });
  return status === 'archived' ? failed({ kind: status }) : { kind: 'success', state: 'done', pullRequest };
}

function failed(problem: StepProblem): StepResult {
  return { kind: 'error', problem };
}
