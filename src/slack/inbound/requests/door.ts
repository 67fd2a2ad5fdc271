import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { StoreError } from '../../../store/engines/connection-turns.ts';
import { threadLink } from '../../protocol/links.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import {
  type AdminDeed,
  adminsOnlyView,
  notAllowedView,
  notCheckedView,
  notReadView,
  notStoredView,
  storingUnclearView,
} from '../../views/refusals.ts';
import { ChannelUnreadError } from '../../workspace/access.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRefusal, noteRequest, type RefusedRequest } from '../connection/request-log.ts';
import type { ListenerDeps, SharedDeps } from '../listener.ts';

/** Slack waits 3 seconds for an answer, then shows its own error; the rest is for the network. */
const ANSWER_WITHIN_MS = 2_600;
/** Parts of that. */
const STORE_WITHIN_MS = 2_300;
const READ_WITHIN_MS = 1_800;
/** A list without some names is better than no list. */
const NAMES_WITHIN_MS = 1_000;

const deadline = new AsyncLocalStorage<number>();

/** Answers a request: all `inTime` waits inside share one deadline, within Slack's. */
export function answering<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + ANSWER_WITHIN_MS, work);
}

/** Resolves to `late` if it takes longer. Rethrows errors. */
export function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const leftMs = (deadline.getStore() ?? Number.POSITIVE_INFINITY) - clock.now();
  return clock.timeout(Math.min(withinMs, leftMs), awaited, late);
}

/** The answer that was read, or that it could not be read. */
export async function show<T>(deps: ListenerDeps, read: () => Promise<T>): Promise<T | SlackMessage> {
  try {
    return await inTime<T | SlackMessage>(deps, READ_WITHIN_MS, read(), notReadView);
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView;
  }
}

/** The names of the people mentioned in the texts, as far as they are known in time. */
export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, NAMES_WITHIN_MS, deps.names.of(texts.join('\n')), new Map());
}

/** `problem`: not stored, or unknown; to be shown to the person. */
export type Stored<T> =
  | { readonly result: T }
  | { readonly problem: SlackMessage; readonly isDenied: boolean };

/**
 * Stores a request whose author waits: admitted, written once, and answered in time. A commit that may have
 * succeeded is tried once more; the second attempt then changes nothing.
 * @param write stores it at most once. It may run twice, so its only effects are in the store
 * @param admit why the person may not do this; null: they may. It asks Slack, so it runs before any transaction
 */
export async function storeRequest<T>(
  deps: ListenerDeps,
  write: () => Promise<T>,
  admit: () => Promise<SlackMessage | null> = async () => null,
): Promise<Stored<T>> {
  const attempt = async (isSecond: boolean): Promise<Stored<T>> => {
    try {
      const denial = await admit();
      return denial === null ? { result: await write() } : { problem: denial, isDenied: true };
    } catch (error) {
      deps.log.error('inbound_request_not_stored', { error });
      const mayBeStored = isSecond || (error instanceof StoreError && error.mayBeCommitted);
      if (mayBeStored && !isSecond) return attempt(true);
      return { problem: mayBeStored ? storingUnclearView : notStoredView, isDenied: false };
    }
  };
  const late = { problem: storingUnclearView, isDenied: false };
  const stored = await inTime(deps, STORE_WITHIN_MS, attempt(false), late);
  if ('problem' in stored && !stored.isDenied) noteRequest({ outcome: 'failed' });
  return stored;
}

/** Part of Slack's 3 seconds; storing needs most of the rest. */
const AGENT_ASKED_WITHIN_MS = 700;

/** Whether the agent has this job in the project; null: it did not say in time. */
export function agentHasJob(deps: ListenerDeps, projectId: string, id: string): Promise<boolean | null> {
  return inTime(deps, AGENT_ASKED_WITHIN_MS, deps.agentHasJob(projectId, id), null);
}

/** Slack waits 3 seconds for a form. */
const FORM_WITHIN_MS = 2_000;

/** Returns the view's id; null if Slack did not open it in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  const opened = deps.poster.openModal(triggerId, view).catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  });
  return inTime(deps, FORM_WITHIN_MS, opened, null);
}

export function linkTo(
  { workspaceUrl }: ListenerDeps,
  job: Pick<Job, 'channelId' | 'threadTs'> | null,
): string | null {
  return job && threadLink(workspaceUrl, job.channelId, job.threadTs);
}

/** Records a refusal for audits, once for each request. The person has the answer either way. */
export function refusalRecorder({
  store,
  newContext,
  log,
}: Pick<SharedDeps, 'store' | 'newContext' | 'log'>) {
  return async ({ kind, key, teamId, userId, reason }: RefusedRequest): Promise<void> => {
    const { nowMs, newId } = newContext();
    // The time is now: transactions of refusals may overtake each other.
    const id = newId();
    const keys = key === null ? [] : [`refused:${teamId}:${key}`];
    const refusal = { action: 'refusal', source: kind, jobId: null, outcome: reason } as const;
    try {
      await store.transaction(async (tx) => {
        if (!(await tx.inboundRequests.remember(keys, nowMs))) return;
        await tx.audit.record({ atMs: nowMs, teamId, userId, ...refusal }, id);
      });
    } catch (error) {
      log.warn('refusal_not_recorded', { user_id: userId, error });
    }
  };
}

/** Slack shows its own error after 3 seconds, and storing may need most of that. */
const ADMITTED_WITHIN_MS = 1_000;
const ADMINS_NAMED_MAX = 3;

const NOT_CHECKED_IN_TIME = { problem: notCheckedView(), unknown: null };

/** The refusal to show, or null if the person may do this. Also refuses if that could not be found out. */
export async function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  const denial = await inTime(
    deps,
    ADMITTED_WITHIN_MS,
    denialOf(deps, userId, channelId),
    NOT_CHECKED_IN_TIME,
  );
  return denial?.problem ?? null;
}

export async function jobOf(deps: ListenerDeps, jobId: string): Promise<Job | null> {
  const job = await deps.store.transaction((tx) => tx.jobs.get(jobId));
  return job?.teamId === deps.teamId ? job : null;
}

/** For a press outside of the job's channel. Also null if there is no such job here. */
export async function jobAdmissionProblem(
  deps: ListenerDeps,
  userId: string,
  jobId: string,
): Promise<SlackMessage | null> {
  const job = await jobOf(deps, jobId);
  return job && admissionProblem(deps, userId, job.channelId);
}

export async function adminProblem(
  deps: ListenerDeps,
  userId: string,
  deed: AdminDeed,
): Promise<SlackMessage | null> {
  if (await inTime(deps, ADMITTED_WITHIN_MS, deps.access.isAdmin(userId), false)) return null;
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

async function denialOf(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<{
  readonly problem: SlackMessage;
  /** Why the person could not be checked; null: they may not. */
  readonly unknown: SlackCallError | null;
} | null> {
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
  if (isLasting && refusalKey !== null) {
    const { store, poster, clock, log, teamId } = deps;
    const keys = [`refusal:${teamId}:${refusalKey}`];
    if (await store.transaction((tx) => tx.inboundRequests.remember(keys, clock.now()))) {
      await poster.postEphemeral(message, problem).catch((error: unknown) => {
        log.warn('refusal_not_shown', { user_id: message.userId, error });
      });
    }
  }
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
