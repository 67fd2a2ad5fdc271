import type { Decision, DecisionContext } from '../decision.ts';
import type { StartPress } from '../event.ts';
import type { Job } from '../job.ts';
import { Draft } from './draft.ts';
import { type JobRequest, newJob, openIn, openJob, tellRequester, wantCard } from './open.ts';

/** The same words within this time are probably no second wish. */
export const ASKED_BEFORE_MS = 120_000;

/**
 * Makes a job of a request; if the requester asked the same a moment ago, one that waits for *Start another*.
 * @param recent what the requester asked for in the channel within `ASKED_BEFORE_MS`
 * @param isTold false if the requester gets the question as a message of its own
 */
export function requestJob(
  request: JobRequest,
  recent: readonly Job[],
  isTold: boolean,
  context: DecisionContext,
): Decision {
  const same = recent.find((job) => isSame(job, request) && isFruitful(job));
  if (same === undefined) return openJob(request, context);
  const stage = { kind: 'asking', sameAsJobId: same.id, thread: request.thread } as const;
  const job = { ...newJob({ ...request, thread: null }, context), stage };
  const draft = new Draft({ job, followUps: [] }, context);
  if (!isTold) tellRequester(draft, 'asked_before', '', 'asked_before');
  return draft.decision();
}

/** The question that the requester was asked when the same request came in first, if it is open. */
export function openQuestion(request: JobRequest, recent: readonly Job[]): Job | null {
  return recent.find((job) => isSame(job, request) && job.stage.kind === 'asking') ?? null;
}

/** *Start another*: once. */
export function startAnother(draft: Draft, { responseUrl, pressedTs }: StartPress): void {
  const { job, context } = draft;
  if (job.stage.kind !== 'asking') return;
  openIn(draft, job.stage.thread, pressedTs);
  draft.change({ requestedAtMs: context.nowMs, responseUrl: responseUrl ?? job.responseUrl });
  wantCard(draft);
}

function isSame(job: Job, { prompt, context = '', projectId }: JobRequest): boolean {
  return job.prompt === prompt && job.context === context && job.projectId === projectId;
}

/** It is at work, or may be, or its work is done. Of others, the same words are rightly said again. */
function isFruitful({ stage }: Job): boolean {
  switch (stage.kind) {
    case 'opening':
    case 'creating':
    case 'create_unknown':
    case 'working':
      return true;
    case 'ended':
      return stage.status === 'completed';
    case 'asking':
    case 'unopened':
    case 'rejected':
      return false;
  }
}
