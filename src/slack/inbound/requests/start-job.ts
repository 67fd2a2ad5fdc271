import { applyEvent } from '../../../engine/apply-event.ts';
import {
  ASKED_BEFORE_MS,
  type JobRequest,
  type Manner,
  openQuestion,
  requestJob,
} from '../../../jobs/decide/start/open.ts';
import type { AnyJobContext } from '../../../jobs/decision.ts';
import { type Job, startPromptOf } from '../../../jobs/job.ts';
import { defaultProject, settingsOf } from '../../../jobs/policy.ts';
import { judgePrompt } from '../../../jobs/requests/command.ts';
import { isDoubtful } from '../../../jobs/requests/intent.ts';
import { addressed, type Project } from '../../../jobs/requests/project.ts';
import type { Transaction } from '../../../store/store.ts';
import { readableText } from '../../protocol/slack-text.ts';
import type { Question } from '../../views/forms/question.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { type Refusal, refusalView } from '../../views/refusals.ts';
import { noteRefusal, noteRequest, type RequestNote } from '../connection/request-log.ts';
import type { Interaction, ListenerDeps } from '../listener.ts';
import { admissionProblem, type Stored, storeRequest } from './door.ts';

/** A request as Slack delivered it: project and prompt are still part of the text. */
export interface RawRequest extends Omit<JobRequest, 'projectId' | 'projectName' | 'prompt'> {
  /** As delivered, sanitized; it may begin with `project=name` or `--`. */
  readonly text: string;
  /** Chosen beside the text; null: the channel's, if the text names none. */
  readonly project: Project | null;
  /**
   * Typed where commands are typed, too: a text that is hardly a request may be a slip, and gets a question.
   */
  readonly mayBeSlip: boolean;
}

interface Delivery {
  readonly keys: readonly string[];
  /** Whether the answer to the request shows the outcome. */
  readonly isAnswered: boolean;
}

export type Outcome =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** By this delivery or an earlier one. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'asked'; readonly question: Question };

/** Starts a job for somebody who waits for the answer. */
export function startFrom(
  deps: ListenerDeps,
  { userId: requesterId, keys, responseUrl }: Interaction,
  request: Pick<RawRequest, 'channelId' | 'origin' | 'text'> & Partial<RawRequest>,
): Promise<Stored<Outcome>> {
  const made = { teamId: deps.teamId, requesterId, responseUrl };
  const raw = { ...made, project: null, thread: null, mayBeSlip: false, ...request };
  return storeRequest(
    deps,
    () => startJob(deps, raw, { keys, isAnswered: true }),
    () => admissionProblem(deps, requesterId, raw.channelId),
  );
}

/** Stores the request as a job, once, however often Slack delivers it. */
export async function startJob(
  deps: ListenerDeps,
  raw: RawRequest,
  { keys, isAnswered }: Delivery,
): Promise<Outcome> {
  const { teamId, requesterId: userId } = raw;
  const refused = (refusal: Refusal): Started => ({
    outcome: { kind: 'refused', refusal },
    note: { outcome: 'refused', refusal: { teamId, userId, reason: refusal.kind } },
  });
  const start = async (): Promise<Started> => {
    const read = requestOf(deps, raw, raw.project ?? (await projectOf(deps, raw.channelId)));
    if ('refusal' in read) return refused(read.refusal);
    const { request, ...manner } = read;
    return deps.store.transaction(async (tx): Promise<Started> => {
      const context = deps.newContext();
      const { nowMs } = context;
      const { channelId, thread } = request;
      const isTaken =
        thread !== null && (await tx.jobs.findByThread(teamId, channelId, thread.threadTs)) !== null;
      // Not remembered, so that the request may be made again.
      if (isTaken && !(await tx.inboundRequests.isKnown(keys))) return refused({ kind: 'thread_taken' });
      const isNew = await tx.inboundRequests.remember(keys, nowMs);
      const recent = await tx.jobs.requestedBy(raw, nowMs - ASKED_BEFORE_MS);
      if (!isNew) {
        await completeRequest(tx, request, recent, context);
        const outcome = outcomeOf(openQuestion(request, recent), recent);
        return { outcome, note: { outcome: 'duplicate' } };
      }
      const decision = requestJob(request, recent, { isAnswered, ...manner }, context);
      await tx.write(decision, nowMs);
      const note = { outcome: 'accepted', jobId: decision.job.id } as const;
      return { outcome: outcomeOf(decision.job, recent), note };
    });
  };
  const { outcome, note } = await start();
  noteRequest(note);
  return outcome;
}

/** The outcome, and what to log once it is stored. */
interface Started {
  readonly outcome: Outcome;
  readonly note: RequestNote;
}

/** Another event of the same message may have brought less. */
async function completeRequest(
  tx: Transaction,
  { teamId, channelId, requesterId: userId, requestTs: messageTs, prompt: text, attachments }: JobRequest,
  recent: readonly Job[],
  context: AnyJobContext,
): Promise<void> {
  if (userId === null || messageTs === undefined || attachments === undefined) return;
  const jobId =
    recent.find((job) => job.requestTs === messageTs)?.id ??
    (await tx.jobs.findByThread(teamId, channelId, messageTs));
  if (jobId === null) return;
  const reply = { messageTs, userId, text, editedTs: null, mentionsBot: true, attachments };
  await applyEvent(tx, jobId, { type: 'message_completed', reply }, context);
}

export function requestOf(
  deps: ListenerDeps,
  { text, project: chosen, mayBeSlip, ...raw }: RawRequest,
  byDefault: Project,
):
  | ({ readonly request: JobRequest } & Omit<Manner, 'isAnswered'>)
  | { readonly refusal: Exclude<Refusal, { kind: 'thread_taken' }> } {
  const to = addressed(text, deps.projects, byDefault);
  const { prompt } = to;
  // Refused where nobody can be asked, or there is nothing to keep.
  if (to.kind === 'unknown_project' && (!mayBeSlip || prompt === '')) return { refusal: to };
  const unknownProject = to.kind === 'unknown_project' ? to : null;
  const project = to.kind === 'known' ? to.project : byDefault;
  if (chosen !== null && chosen.id !== project.id) {
    return { refusal: { kind: 'two_projects', named: project.name, chosen: chosen.name } };
  }
  const { promptMaxLength } = deps.newContext().policy;
  const readable = readableText(prompt, new Map());
  const own = judgePrompt(readable, promptMaxLength);
  if (own.kind !== 'ok') return { refusal: own };
  const whole = startPromptOf({ prompt, context: raw.context ?? '', inlined: '' });
  const verdict = judgePrompt(readableText(whole, new Map()), promptMaxLength);
  if (verdict.kind === 'too_long') {
    return { refusal: { ...verdict, kind: 'too_long_together', mayUntick: true } };
  }
  const isAlone = (raw.attachments?.snippets ?? []).length === 0;
  const isForced = to.kind === 'known' && to.isForced;
  const isAsked = mayBeSlip && !isForced && isAlone && isDoubtful(prompt);
  const { id: projectId, name: projectName } = project;
  return { request: { ...raw, projectId, projectName, prompt }, isDoubtful: isAsked, unknownProject };
}

function outcomeOf(job: Job | null, recent: readonly Job[]): Outcome {
  if (job?.stage.kind !== 'awaiting_confirmation') return { kind: 'stored' };
  const { sameAsJobId } = job.stage;
  const sameAs = recent.find(({ id }) => id === sameAsJobId) ?? null;
  return { kind: 'asked', question: { job, sameAs } };
}

/** The project of the channel's requests that name none. */
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

/** What to tell the person if another job has started in this job's thread; else null. */
export async function threadTakenProblem(
  tx: Transaction,
  { id, teamId, channelId, stage }: Job,
  userId: string,
): Promise<SlackMessage | null> {
  const { kind } = stage;
  const thread =
    kind === 'awaiting_confirmation' || kind === 'card_failed' || kind === 'draft' ? stage.thread : null;
  const threadTs = thread?.threadTs ?? (kind === 'draft' ? stage.postTs : null);
  if (threadTs === null) return null;
  const owner = await tx.jobs.findByThread(teamId, channelId, threadTs);
  if (owner === null || owner === id) return null;
  noteRefusal({ teamId }, userId, 'thread_taken');
  return refusalView({ kind: 'thread_taken' });
}
