import { notAllowedView, notCheckedView } from '../../views/access.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRequest } from '../connection/logged-request.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from './in-time.ts';

/** Slack shows people an error of its own after 3 seconds, of which the storing may take most. */
const ANSWER_WITHIN_MS = 1_000;

/** What a person is told who may not do this there, or of whom that is not known; null: it is allowed. */
export async function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  const late = { problem: notCheckedView(), unknown: null };
  const denial = await inTime(deps, ANSWER_WITHIN_MS, denialOf(deps, userId, channelId), late);
  return denial?.problem ?? null;
}

/** The same of what is done with a job from elsewhere than its channel; null, too, if there is no such job here. */
export async function jobAdmissionProblem(
  deps: ListenerDeps,
  userId: string,
  jobId: string,
): Promise<SlackMessage | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job?.teamId === deps.teamId ? admissionProblem(deps, userId, job.channelId) : null;
}

interface Denial {
  /** What the person is told. */
  readonly problem: SlackMessage;
  /** Why it is not known whether the person may; null: the person may not. */
  readonly unknown: SlackCallError | null;
}

async function denialOf(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<Denial | null> {
  try {
    const refusal = await deps.access.refusal(userId, channelId);
    if (refusal === null) return null;
    noteRequest({ outcome: 'refused' });
    deps.log.info('access_refused', { user_id: userId, channel_id: channelId, reason: refusal });
    return { problem: notAllowedView(refusal), unknown: null };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code, needsAdmin } = error.failure;
    noteRequest({ outcome: 'failed' });
    deps.log.warn('access_not_checked', { user_id: userId, reason: code });
    return { problem: notCheckedView(needsAdmin), unknown: error };
  }
}

/**
 * Whether a message may be taken in; if not, the person who wrote it is told. Throws if that is not known: Slack delivers
 * the message again. `toldAs` names the telling, which is done once; null: another event tells.
 */
export async function isAdmitted(
  deps: ListenerDeps,
  message: WrittenBy,
  toldAs: string | null,
): Promise<boolean> {
  if (!(await deps.access.isPerson(message.userId))) return false;
  const denial = await denialOf(deps, message.userId, message.channelId);
  if (denial === null) return true;
  const { problem, unknown } = denial;
  const isLasting = unknown === null || unknown.failure.needsAdmin;
  if (isLasting && toldAs !== null) await tellOnce(deps, message, toldAs, problem);
  if (unknown !== null) throw unknown;
  return false;
}

/** Who writes on in a thread is told once. */
export function refusalInThread({ channelId, threadTs, userId }: WrittenBy): string {
  return `${channelId}:${threadTs}:${userId}`;
}

interface WrittenBy {
  readonly userId: string;
  readonly channelId: string;
  readonly threadTs: string | null;
}

async function tellOnce(
  { store, poster, clock, log, teamId }: ListenerDeps,
  message: WrittenBy,
  toldAs: string,
  view: SlackMessage,
): Promise<void> {
  const key = `refusal:${teamId}:${toldAs}`;
  if (!(await store.transaction((tx) => tx.inboundRequests.remember([key], clock.now())))) return;
  await poster.whisper(message, view).catch((error: unknown) => {
    // Best effort: nothing was accepted.
    log.warn('refusal_not_told', { user_id: message.userId, error });
  });
}
