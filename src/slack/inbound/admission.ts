import { initiatorOf, type Job } from '#jobs/job.ts';
import { decode, inChannelData } from '../protocol/ids.ts';
import type { ButtonTarget, JobButton } from '../views/buttons.ts';
import type { SlackMessage } from '../views/message.ts';
import {
  type AdminAction,
  adminsOnlyView,
  notAllowedView,
  notCheckedView,
} from '../views/private-answers.ts';
import { ChannelUnreadError } from '../workspace/access.ts';
import { SlackCallError } from '../workspace/caller.ts';
import type { Seat } from '../workspace/poster.ts';
import { noteRefusal, noteRequest } from './connection/requests.ts';
import { inTime, namesOf, Refused } from './interaction.ts';
import type { ListenerDeps, Press } from './listener.ts';

const ADMINS_NAMED_MAX = 3;

/** Null: allowed. An unanswered check refuses. */
export async function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  const late = { problem: notCheckedView(), unknown: null };
  return (await inTime(deps, 'admission', accessProblem(deps, userId, channelId), late))?.problem ?? null;
}

export async function jobOf(deps: ListenerDeps, jobId: string): Promise<Job | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job?.teamId === deps.teamId ? job : null;
}

/** Null: allowed, or no such job in this workspace. */
export async function jobAdmissionProblem(
  deps: ListenerDeps,
  userId: string,
  jobId: string,
): Promise<SlackMessage | null> {
  const job = await jobOf(deps, jobId);
  return job && admissionProblem(deps, userId, job.channelId);
}

/** Throws `Refused`. */
export async function requireAdmin(deps: ListenerDeps, userId: string, action: AdminAction): Promise<void> {
  if (await inTime(deps, 'admission', deps.access.isAdmin(userId), false)) return;
  noteRefusal(deps, userId, 'no_administrator');
  const admins = [...deps.access.namedAdmins].slice(0, ADMINS_NAMED_MAX);
  const names = await namesOf(deps, admins);
  const named = admins.map((id) => names.get(id) ?? id);
  throw new Refused(adminsOnlyView(action, userId, named));
}

/** Null: allowed. `unknown`: the error that prevented the check; null: refused. */
async function accessProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<{ problem: SlackMessage; unknown: SlackCallError | null } | null> {
  try {
    const refusal = await deps.access.refusal(userId, channelId);
    if (refusal === null) return null;
    noteRefusal(deps, userId, refusal);
    deps.log.info('access_refused', { user_id: userId, channel_id: channelId, reason: refusal });
    return { problem: notAllowedView(refusal), unknown: null };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code, needsAdmin } = error.failure;
    noteRequest({ outcome: 'failed' });
    deps.log.warn('access_not_checked', { user_id: userId, reason: code });
    const isUnread = error instanceof ChannelUnreadError;
    const problem = isUnread ? notAllowedView('unread_channel') : notCheckedView(needsAdmin);
    return { problem, unknown: error };
  }
}

/**
 * Answers the author of a refused message, once per `refusalKey` (null: never). Throws if the check failed,
 * so that Slack redelivers the message.
 */
export async function isAdmitted(
  deps: ListenerDeps,
  message: Seat & { readonly isPostedByApp?: boolean },
  refusalKey: string | null,
): Promise<boolean> {
  if (!(await deps.access.isPerson(message.userId, message.isPostedByApp))) return false;
  const denied = await accessProblem(deps, message.userId, message.channelId);
  if (denied === null) return true;
  const { problem, unknown } = denied;
  const isLasting = unknown?.failure.needsAdmin ?? true;
  const key = isLasting && refusalKey !== null ? `refusal:${deps.teamId}:${refusalKey}` : null;
  if (
    key !== null &&
    (await deps.store.transaction((tx) => tx.inboundRequests.remember([key], deps.clock.now())))
  ) {
    await deps.poster.postEphemeral(message, problem).catch((error: unknown) => {
      deps.log.warn('refusal_not_shown', { user_id: message.userId, error });
    });
  }
  if (unknown !== null) throw unknown;
  return false;
}

export function refusalInThread({ channelId, threadTs, userId }: Seat): string {
  return `${channelId}:${threadTs}:${userId}`;
}

/** The target is untrusted: it is valid in the job's channel, or for the person who was shown the button. */
export function isTargetValid(
  job: Job,
  { isRequesters, isPrivate }: Pick<JobButton & ButtonTarget, 'isRequesters' | 'isPrivate'>,
  press: Press,
): boolean {
  const isTheirs = initiatorOf(job) === press.userId;
  if (isRequesters === true) return isTheirs;
  if (press.channelId !== null) return job.channelId === press.channelId || (isPrivate === true && isTheirs);
  return isTheirs || job.channelId === channelOfView(press);
}

/** The metadata of *Details* or of a form. */
export function channelOfView({ view }: Press): string | undefined {
  return decode(inChannelData, view?.private_metadata ?? '')?.channelId;
}
