import type { Dropped } from './draft.ts';
import { type Ended, isUnwatched, type Job, type Origin } from './job.ts';

export type StepResult = Readonly<
  /** `started`, `draft`: the workflow continues at once. The other two end a turn that it waited for. */
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
  /** The agent's words; untrusted, perhaps empty. */
  | { kind: 'refused'; words: string }
  /** The draft was dropped; null: by nobody. */
  | {
      kind: 'dropped';
      why: Exclude<Dropped['why'], 'not_posted'>;
      byUserId: string | null;
    }
  | { kind: 'unclear' | 'draft_unseen' | 'failed' | 'vanished' | 'archived' | 'unwatched' }
>;

export function stepOf({ origin }: Pick<Job, 'origin'>): Extract<Origin, { kind: 'workflow' }> | null {
  return origin.kind === 'workflow' ? origin : null;
}

/**
 * The result of a job's step. Null: none yet, or no step asked for it.
 * @param reason why Slack just refused its draft's message; null: it did not
 */
export function stepResultOf(job: Job, reason: string | null): StepResult | null {
  const step = stepOf(job);
  if (step === null) return null;
  const { stage, cardTs } = job;
  if (stage.kind === 'card_failed') return failed({ kind: 'not_posted', reason: stage.reason });
  if (stage.kind === 'draft' && stage.isUnseen === true) return failed({ kind: 'draft_unseen' });
  if (stage.kind === 'dropped') {
    const { why, byUserId } = stage;
    const isRefused = why === 'not_posted';
    return failed(
      isRefused ? { kind: why, reason: reason ?? 'unknown' } : { kind: 'dropped', why, byUserId },
    );
  }
  if (!step.waits) {
    if (cardTs !== null) return { kind: 'success', state: 'started', pullRequest: null };
    const isDrafted = stage.kind === 'draft' && stage.postTs !== null;
    return isDrafted ? { kind: 'success', state: 'draft', pullRequest: null } : null;
  }
  if (isUnwatched(job)) return failed({ kind: 'unwatched' });
  switch (stage.kind) {
    case 'rejected':
      return failed({ kind: 'refused', words: stage.message });
    case 'create_unknown':
      return failed({ kind: 'unclear' });
    case 'ended':
      return endOf(stage.status, job.announcedPrLink);
    default:
      return null;
  }
}

function endOf(status: Ended['status'], pullRequest: string | null): StepResult {
  if (status === 'failed' || status === 'vanished') return failed({ kind: status });
  if (pullRequest !== null) return { kind: 'success', state: 'pull_request', pullRequest };
  return status === 'archived' ? failed({ kind: status }) : { kind: 'success', state: 'done', pullRequest };
}

function failed(problem: StepProblem): StepResult {
  return { kind: 'error', problem };
}
