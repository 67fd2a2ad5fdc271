import type { SlackMessage } from '../../views/parts/message.ts';
import { type AdminDeed, adminsOnlyView, notAllowedView, notCheckedView } from '../../views/refusals.ts';
import { ChannelUnreadError } from '../../workspace/access.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRefusal, noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime, namesIn } from './in-time.ts';

/** Slack shows its own error after 3 seconds, and storing may need most of that. */
const ANSWER_WITHIN_MS = 1_000;
const ADMINS_NAMED_MAX = 3;

/** The refusal to show, or null if the person may do this. Also refuses if that could not be found out. */
export async function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  const late = { problem: notCheckedView(), unknown: null };
  const denial = await inTime(deps, ANSWER_WITHIN_MS, denialOf(deps, userId, channelId), late);
  return denial?.problem ?? null;
}

/** For a press outside of the job's channel. Also null if there is no such job here. */
export async function jobAdmissionProblem(
  deps: ListenerDeps,
  userId: string,
  jobId: string,
): Promise<SlackMessage | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job?.teamId === deps.teamId ? admissionProblem(deps, userId, job.channelId) : null;
}

/** For administrators' actions: the refusal to show, or null. */
export async function adminProblem(
  deps: ListenerDeps,
  userId: string,
  deed: AdminDeed,
): Promise<SlackMessage | null> {
  if (await inTime(deps, ANSWER_WITHIN_MS, deps.access.isAdmin(userId), false)) return null;
  noteRefusal(deps, userId, 'no_administrator');
  const admins = [...deps.access.namedAdmins].slice(0, ADMINS_NAMED_MAX);
  const names = await namesIn(
    deps,
    admins.map((id) => `<@${id}>`),
  );
  return adminsOnlyView(
    deed,
    userId,
    admins.map((id) => names.get(id) ?? id),
  );
}

interface Denial {
  readonly problem: SlackMessage;
  /** Why the person could not be checked; null: they may not. */
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
 * Whether a message may be processed; if not, its author gets an answer. Throws if unknown, so that Slack
 * redelivers the message. `refusalKey` identifies the answer, which is sent once; null: another event
 * answers.
 */
export async function isAdmitted(
  deps: ListenerDeps,
  message: WrittenBy,
  refusalKey: string | null,
): Promise<boolean> {
  if (!(await deps.access.isPerson(message.userId, message.isPostedByApp))) return false;
  const denial = await denialOf(deps, message.userId, message.channelId);
  if (denial === null) return true;
  const { problem, unknown } = denial;
  const isLasting = unknown === null || unknown.failure.needsAdmin;
  if (isLasting && refusalKey !== null) await refuseOnce(deps, message, refusalKey, problem);
  if (unknown !== null) throw unknown;
  return false;
}

/** A person who keeps writing in a thread gets the answer once. */
export function refusalInThread({ channelId, threadTs, userId }: WrittenBy): string {
  return `${channelId}:${threadTs}:${userId}`;
}

interface WrittenBy {
  readonly userId: string;
  readonly channelId: string;
  readonly threadTs: string | null;
  readonly isPostedByApp?: boolean;
}

async function refuseOnce(
  { store, poster, clock, log, teamId }: ListenerDeps,
  message: WrittenBy,
  refusalKey: string,
  view: SlackMessage,
): Promise<void> {
  const key = `refusal:${teamId}:${refusalKey}`;
  if (!(await store.transaction((tx) => tx.inboundRequests.remember([key], clock.now())))) return;
  await poster.postEphemeral(message, view).catch((error: unknown) => {
    log.warn('refusal_not_shown', { user_id: message.userId, error });
  });
}
