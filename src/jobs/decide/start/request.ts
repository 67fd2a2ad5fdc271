import type { Decision, DecisionContext } from '../../decision.ts';
import type { StartPress } from '../../event.ts';
import type { Job } from '../../job.ts';
import { DecisionBuilder } from '../decision-builder.ts';
import { type JobRequest, newJob, notifyRequester, openIn, openJob, requestCard } from './open.ts';

/** The same words within this time are probably not meant as a second job. */
export const ASKED_BEFORE_MS = 120_000;

/** How a request was made. */
export interface Manner {
  /** False if the requester gets a question as a message of its own. */
  readonly isAnswered: boolean;
  /** It is hardly meant as a request. */
  readonly isDoubtful: boolean;
}

/**
 * Makes a job of a request; if the requester asked the same a moment ago, or hardly meant to ask, one that waits for
 * *Start another* or *Start*.
 * @param recent what the requester asked for in the channel within `ASKED_BEFORE_MS`
 */
export function requestJob(
  request: JobRequest,
  recent: readonly Job[],
  { isAnswered, isDoubtful }: Manner,
  context: DecisionContext,
): Decision {
  const same = recent.find((job) => isSame(job, request) && isActiveOrCompleted(job));
  if (same === undefined && !isDoubtful) return openJob(request, context);
  const { thread } = request;
  const stage = { kind: 'awaiting_confirmation', sameAsJobId: same?.id ?? null, thread } as const;
  const job = { ...newJob({ ...request, thread: null }, context), stage };
  const builder = new DecisionBuilder({ job, followUps: [] }, context);
  if (!isAnswered) notifyRequester(builder, 'asked_before', '', 'asked_before');
  return builder.decision();
}

/** The question that the requester was asked when the same request arrived first, if it is open. */
export function openQuestion(request: JobRequest, recent: readonly Job[]): Job | null {
  return recent.find((job) => isSame(job, request) && job.stage.kind === 'awaiting_confirmation') ?? null;
}

/** *Start another*, or *Start*: once. */
export function startAnother(builder: DecisionBuilder, { responseUrl, pressedTs }: StartPress): void {
  const { job, context } = builder;
  if (job.stage.kind !== 'awaiting_confirmation') return;
  openIn(builder, job.stage.thread, pressedTs);
  builder.change({ requestedAtMs: context.nowMs, responseUrl: responseUrl ?? job.responseUrl });
  requestCard(builder);
}

function isSame(job: Job, { prompt, context = '', projectId }: JobRequest): boolean {
  return job.prompt === prompt && job.context === context && job.projectId === projectId;
}

/** It is at work, or may be, or its work is done. Of others, the same words are rightly said again. */
function isActiveOrCompleted({ stage }: Job): boolean {
  switch (stage.kind) {
    case 'opening':
    case 'creating':
    case 'create_unknown':
    case 'working':
      return true;
    case 'ended':
      return stage.status === 'completed';
    case 'awaiting_confirmation':
    case 'draft':
    case 'dropped':
    case 'card_failed':
    case 'rejected':
      return false;
  }
}
