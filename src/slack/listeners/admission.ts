import { SlackCallError } from '../calls/failure.ts';
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
    deps.log.info('access_refused', { user_id: userId, channel_id: channelId, reason: refusal });
    return notAllowedView(refusal);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('access_not_checked', { user_id: userId, reason: error.failure.code });
    return notCheckedView();
  }
}

/**
 * Whether a person's message may be taken in; if not, the person is told, unless `isTold` is false. Throws if that is
 * not known: Slack delivers the message again.
 */
export async function isAdmitted(
  deps: ListenerDeps,
  message: { readonly userId: string; readonly channelId: string; readonly threadTs: string | null },
  isTold = true,
): Promise<boolean> {
  const refusal = await deps.access.refusal(message.userId, message.channelId);
  if (refusal === null) return true;
  deps.log.info('access_refused', {
    user_id: message.userId,
    channel_id: message.channelId,
    reason: refusal,
  });
  if (!isTold) return false;
  await deps.poster.whisper(message, notAllowedView(refusal)).catch((error: unknown) => {
    // Only a courtesy: nothing was accepted.
    deps.log.warn('refusal_not_told', { user_id: message.userId, error });
  });
  return false;
}
