import type { JobRequest } from '../../../jobs/decide/open.ts';
import { ASKED_BEFORE_MS, openQuestion, requestJob } from '../../../jobs/decide/request.ts';
import { type Job, startPromptOf } from '../../../jobs/job.ts';
import { defaultProject, settingsOf } from '../../../jobs/policy.ts';
import { addressed, type Project } from '../../../jobs/project.ts';
import { judgePrompt } from '../../../jobs/prompt.ts';
import type { Transaction } from '../../../store/store.ts';
import { readableText } from '../../protocol/readable-text.ts';
import type { Question } from '../../views/forms/asked-before.ts';
import type { Refusal } from '../../views/refusals.ts';
import { noteRequest, type RequestNote } from '../connection/logged-request.ts';
import type { ListenerDeps } from '../deps.ts';

/** A wish for a job, from whatever request. */
export interface Wish extends Omit<JobRequest, 'projectId' | 'projectName' | 'prompt'> {
  /** All names under which Slack may deliver the request again. */
  readonly keys: readonly string[];
  /** As Slack delivered it, sanitized; `project=name` or `--` may stand at its start. */
  readonly text: string;
  /** What was chosen beside the text; null: that of the channel, if the text names none. */
  readonly project: Project | null;
  /** Whether the answer to the request tells the requester of what came of it. */
  readonly isAnswered: boolean;
}

export type Outcome =
  /** Nothing is stored. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Also if it was stored before. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'asked_before'; readonly question: Question };

/** Stores the wish, once, however often it is delivered. */
export async function startJob(deps: ListenerDeps, wish: Wish): Promise<Outcome> {
  const { outcome, note } = await started(deps, wish);
  noteRequest(note);
  return outcome;
}

/** With what is to be noted of the request, once it is stored. */
interface Started {
  readonly outcome: Outcome;
  readonly note: RequestNote;
}

async function started(deps: ListenerDeps, wish: Wish): Promise<Started> {
  const read = requestOf(deps, wish, wish.project ?? (await projectOf(deps, wish.channelId)));
  if ('refusal' in read) return refused(read.refusal);
  const { request } = read;
  return deps.store.transaction(async (tx): Promise<Started> => {
    const context = deps.newContext();
    const { nowMs } = context;
    // Not remembered, so that the request may be made again.
    if ((await isTaken(tx, request)) && !(await tx.inboundRequests.isKnown(wish.keys))) {
      return refused({ kind: 'thread_taken' });
    }
    const isNew = await tx.inboundRequests.remember(wish.keys, nowMs);
    const recent = await tx.jobs.requestedBy(request, nowMs - ASKED_BEFORE_MS);
    if (!isNew) {
      const outcome = outcomeOf(openQuestion(request, recent), recent);
      return { outcome, note: { outcome: 'duplicate' } };
    }
    const decision = requestJob(request, recent, wish.isAnswered, context);
    await tx.write(decision, nowMs);
    const note = { outcome: 'accepted', jobId: decision.job.id } as const;
    return { outcome: outcomeOf(decision.job, recent), note };
  });
}

function refused(refusal: Refusal): Started {
  return { outcome: { kind: 'refused', refusal }, note: { outcome: 'refused' } };
}

/** What is asked of the agent; or why it cannot be. */
function requestOf(
  deps: ListenerDeps,
  { keys: _keys, text, project: chosen, isAnswered: _isAnswered, ...wish }: Wish,
  byDefault: Project,
): { readonly request: JobRequest } | { readonly refusal: Refusal } {
  const to = addressed(text, deps.projects, byDefault);
  if (to.kind === 'unknown_project') return { refusal: to };
  if (chosen !== null && chosen.id !== to.project.id) {
    return { refusal: { kind: 'two_projects', named: to.project.name, chosen: chosen.name } };
  }
  const { prompt } = to;
  const { promptMaxLength } = deps.newContext().policy;
  const own = judgePrompt(readableText(prompt, new Map()), promptMaxLength);
  if (own.kind !== 'ok') return { refusal: own };
  const whole = startPromptOf({ prompt, context: wish.context ?? '', inlined: '' });
  const together = judgePrompt(readableText(whole, new Map()), promptMaxLength);
  if (together.kind === 'too_long') return { refusal: { ...together, kind: 'too_long_together' } };
  return { request: { ...wish, projectId: to.project.id, projectName: to.project.name, prompt } };
}

async function isTaken(tx: Transaction, { teamId, channelId, thread }: JobRequest): Promise<boolean> {
  return thread !== null && (await tx.jobs.findByThread(teamId, channelId, thread.threadTs)) !== null;
}

function outcomeOf(job: Job | null, recent: readonly Job[]): Outcome {
  if (job?.stage.kind !== 'asking') return { kind: 'stored' };
  const { sameAsJobId } = job.stage;
  const sameAs = recent.find(({ id }) => id === sameAsJobId) ?? null;
  return { kind: 'asked_before', question: { job, sameAs } };
}

/** The project of requests in the channel that name none. */
export async function projectOf(
  { projects, store, newContext, teamId }: ListenerDeps,
  channelId: string | null,
): Promise<Project> {
  const [first, ...others] = projects;
  if (channelId === null || others.length === 0) return first;
  const saved = await store.transaction((tx) => tx.channelSettings.get(teamId, channelId));
  const rules = newContext().rulesOf(teamId);
  return defaultProject(projects, settingsOf(rules, channelId, saved?.settings ?? null));
}

/** Whether another job runs by now in the thread that the job waits to start in. */
export async function isThreadTaken(tx: Transaction, { teamId, channelId, stage }: Job): Promise<boolean> {
  const thread = stage.kind === 'asking' || stage.kind === 'unopened' ? stage.thread : null;
  return thread !== null && (await tx.jobs.findByThread(teamId, channelId, thread.threadTs)) !== null;
}
