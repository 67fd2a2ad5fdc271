import type { AccessRefusal } from '../../jobs/access.ts';
import { SlackCallError } from '../calls/failure.ts';
import { noteGesture } from '../connection/noted-gesture.ts';
import { notAllowedView, notCheckedView } from '../views/access.ts';
import type { SlackMessage } from '../views/message.ts';
import type { ListenerDeps } from './deps.ts';
import { inTime } from './in-time.ts';

/** Slack shows people an error of its own after 3 seconds, of which the storing may take most. */
const ANSWER_WITHIN_MS = 1_000;

/** What a person is told who may not do this there, or of whom that is not known; null: it is allowed. */
export function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  return inTime(deps, ANSWER_WITHIN_MS, asked(deps, userId, channelId), notCheckedView());
}

/** The same of what is done with a job from elsewhere than its channel; null, too, if there is no such job. */
export async function jobAdmissionProblem(
  deps: ListenerDeps,
  userId: string,
  jobId: string,
): Promise<SlackMessage | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job && admissionProblem(deps, userId, job.channelId);
}

async function asked(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  try {
    const refusal = await deps.access.refusal(userId, channelId);
    if (refusal === null) return null;
    noteRefusal(deps, userId, channelId, refusal);
    return notAllowedView(refusal);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code, needsAdmin } = error.failure;
    noteGesture({ outcome: 'failed' });
    deps.log.warn('access_not_checked', { user_id: userId, reason: code });
    return notCheckedView(needsAdmin);
  }
}

/**
 * Whether a person's message may be taken in; if not, the person is told. Throws if that is not known: Slack delivers
 * the message again. `toldAs` names the telling, which is done once; null: another event tells.
 */
export async function isAdmitted(
  deps: ListenerDeps,
  message: WrittenBy,
  toldAs: string | null,
): Promise<boolean> {
  const { userId, channelId } = message;
  try {
    const refusal = await deps.access.refusal(userId, channelId);
    if (refusal === null) return true;
    noteRefusal(deps, userId, channelId, refusal);
    if (toldAs !== null) await tellOnce(deps, message, toldAs, notAllowedView(refusal));
    return false;
  } catch (error) {
    const needsAdmin = error instanceof SlackCallError && error.failure.needsAdmin;
    if (needsAdmin && toldAs !== null) await tellOnce(deps, message, toldAs, notCheckedView(needsAdmin));
    throw error;
  }
}

function noteRefusal(
  { log }: ListenerDeps,
  userId: string,
  channelId: string | null,
  reason: AccessRefusal,
): void {
  noteGesture({ outcome: 'refused' });
  log.info('access_refused', { user_id: userId, channel_id: channelId, reason });
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
  { store, poster, clock, log }: ListenerDeps,
  message: WrittenBy,
  toldAs: string,
  view: SlackMessage,
): Promise<void> {
  if (!(await store.transaction((tx) => tx.gestures.remember([`refusal:${toldAs}`], clock.now())))) return;
  await poster.whisper(message, view).catch((error: unknown) => {
    // Only a courtesy: nothing was accepted.
    log.warn('refusal_not_told', { user_id: message.userId, error });
  });
}
