import type { Decision, DecisionContext } from '../../decision.ts';
import type { JobEvent } from '../../event.ts';
import type { Job, Stage } from '../../job.ts';
import type { UnknownProject } from '../../requests/project.ts';
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
  /** It names a project that does not exist; absent: it does. */
  readonly unknownProject?: UnknownProject | null;
}

/**
 * Makes a job of a request; if the requester asked the same just now, hardly meant to ask, or named an
 * unknown project, one that waits for *Start another*, *Start* or *Start in …*.
 * @param recent the requester's requests in the channel within `ASKED_BEFORE_MS`
 */
export function requestJob(
  request: JobRequest,
  recent: readonly Job[],
  { isAnswered, isDoubtful, unknownProject = null }: Manner,
  context: DecisionContext,
): Decision {
  const { thread } = request;
  const same = recent.find((job) => isSame(job, request) && isActiveOrCompleted(job));
  if (unknownProject === null && same === undefined && !isDoubtful) return openJob(request, context);
  const stage: Stage =
    unknownProject === null
      ? { kind: 'awaiting_confirmation', sameAsJobId: same?.id ?? null, thread }
      : { kind: 'awaiting_confirmation', sameAsJobId: null, thread, unknownProject: namedIn(unknownProject) };
  const job = { ...newJob({ ...request, thread: null }, context), stage };
  const builder = new DecisionBuilder({ job, followUps: [] }, context);
  if (!isAnswered) notifyRequester(builder, 'asked_before', '', 'asked_before');
  return builder.decision();
}

/** The question asked when the same request arrived first, if it is open. */
export function openQuestion(request: JobRequest, recent: readonly Job[]): Job | null {
  return recent.find((job) => isSame(job, request) && job.stage.kind === 'awaiting_confirmation') ?? null;
}

/** *Start another*, *Start*, or *Start in …*: once. */
export function startAnother(
  builder: DecisionBuilder,
  { responseUrl, pressedTs, project }: Extract<JobEvent, { type: 'start_another_pressed' }>,
): void {
  const { job, context } = builder;
  if (job.stage.kind !== 'awaiting_confirmation') return;
  if (job.stage.unknownProject !== undefined) {
    if (project === undefined) return;
    builder.change({ projectId: project.id, projectName: project.name });
  }
  openIn(builder, job.stage.thread, pressedTs);
  builder.change({ requestedAtMs: context.nowMs, responseUrl: responseUrl ?? job.responseUrl });
  requestCard(builder);
}

/** What the question shows. */
function namedIn({ kind, name, projects }: UnknownProject): UnknownProject {
  return { kind, name, projects };
}

function isSame(job: Job, { prompt, context = '', projectId }: JobRequest): boolean {
  return job.prompt === prompt && job.context === context && job.projectId === projectId;
}

/** It is running, may be, or has succeeded. After other ends, repeating the words makes sense. */
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
