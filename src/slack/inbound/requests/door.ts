import { AsyncLocalStorage } from 'node:async_hooks';
import type { RespondFn } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { DecisionContext } from '../../../jobs/decision.ts';
import type { Job } from '../../../jobs/job.ts';
import { StoreError } from '../../../store/engines/connection-turns.ts';
import type { Transaction } from '../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';
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
import { jobAtAnotherView, jobForgottenView } from '../../views/thread/settled.ts';
import { ChannelUnreadError } from '../../workspace/access.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRefusal, noteRequest, type RefusedRequest } from '../connection/request-log.ts';
import type { CommandArgs, ListenerDeps, SharedDeps } from '../deps.ts';

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

/** A problem is to be shown to the person. */
export type Stored<T> =
  | { readonly kind: 'stored'; readonly result: T }
  | { readonly kind: 'denied'; readonly problem: SlackMessage }
  /** Not stored, or unknown. */
  | { readonly kind: 'failed'; readonly problem: SlackMessage };

export interface InboundWrite<T> {
  /** Why the person may not do this; null: they may. It asks Slack, so it runs before any transaction. */
  readonly admit?: () => Promise<SlackMessage | null>;
  /** Stores the request at most once. It may run twice, so its only effects are in the store. */
  readonly write: () => Promise<T>;
}

const NOT_STORED_IN_TIME = { kind: 'failed', problem: storingUnclearView } as const;

/** Stores a request whose author waits: admitted, written once, and answered in time. */
export async function storeRequest<T>(deps: ListenerDeps, request: InboundWrite<T>): Promise<Stored<T>> {
  const stored = await inTime(deps, STORE_WITHIN_MS, store(deps, request, false), NOT_STORED_IN_TIME);
  if (stored.kind === 'failed') noteRequest({ outcome: 'failed' });
  return stored;
}

/** A commit that may have succeeded is tried once more; the second attempt then changes nothing. */
async function store<T>(
  deps: ListenerDeps,
  request: InboundWrite<T>,
  isSecondTry: boolean,
): Promise<Stored<T>> {
  const { admit = async () => null, write } = request;
  try {
    const denial = await admit();
    if (denial !== null) return { kind: 'denied', problem: denial };
    return { kind: 'stored', result: await write() };
  } catch (error) {
    deps.log.error('inbound_request_not_stored', { error });
    const mayBeStored = isSecondTry || (error instanceof StoreError && error.mayBeCommitted);
    if (mayBeStored && !isSecondTry) return store(deps, request, true);
    return { kind: 'failed', problem: mayBeStored ? storingUnclearView : notStoredView };
  }
}

type Deps = Pick<ListenerDeps, 'log'>;

/** Sends a private answer after the acknowledgement, if Slack takes it: nothing depends on it. */
export async function bestEffort({ log }: Deps, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}

/** A press of a button, or a choice in a message's menu. */
interface MadeAtMessage {
  readonly body: {
    readonly container?: Readonly<Record<string, unknown>>;
    readonly message?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly respond: RespondFn;
}

/** Answers the author of a request privately, beside its message or in its thread. */
export function answerBeside(
  deps: Deps,
  { body, respond }: MadeAtMessage,
  message: SlackMessage,
): Promise<void> {
  const threadTs = threadOf(body);
  const place = threadTs === null ? {} : { thread_ts: threadTs };
  return bestEffort(
    deps,
    respond({ response_type: 'ephemeral', replace_original: false, ...place, ...message }),
  );
}

/** The message's thread; null for a root, which is seen in its channel. */
function threadOf({ container, message }: MadeAtMessage['body']): string | null {
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  const ownTs = container?.message_ts ?? message?.ts;
  return typeof threadTs === 'string' && threadTs !== ownTs ? threadTs : null;
}

/**
 * For a press or form of an unknown job: deleted, or another program's.
 * @param postedTs of the message with the button, if any
 */
export async function unknownJobAnswer(deps: ListenerDeps, postedTs?: string): Promise<SlackMessage> {
  const sinceMs = postedTs === undefined ? 0 : Number(postedTs) * 1000 + CLOCK_SKEW_MS;
  return (await deps.isSharedSince(sinceMs)) ? jobAtAnotherView : jobForgottenView;
}

export async function answer({ ack }: CommandArgs, message: SlackMessage): Promise<void> {
  await ack({ response_type: 'ephemeral', ...message });
}

/** Slack waits 3 seconds for a form. */
const FORM_WITHIN_MS = 2_000;

/** Returns the view's id; null if Slack did not open it in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  return inTime(deps, FORM_WITHIN_MS, opened(deps, triggerId, view), null);
}

async function opened(
  { poster, log }: ListenerDeps,
  triggerId: string,
  view: ModalView,
): Promise<string | null> {
  try {
    return await poster.openModal(triggerId, view);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  }
}

/** The link to the thread; null if there is none yet. */
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

export interface PressRecord {
  readonly userId: string;
  readonly button: string;
  /** Null: none. */
  readonly jobId: string | null;
  /** False: too late. */
  readonly hasEffect: boolean;
}

/** Records for audits who pressed what, in the transaction that stores the press. */
export function recordPress(
  tx: Transaction,
  { teamId }: Pick<ListenerDeps, 'teamId'>,
  { nowMs, newId }: Pick<DecisionContext, 'nowMs' | 'newId'>,
  { userId, button, jobId, hasEffect }: PressRecord,
): Promise<void> {
  const outcome = hasEffect ? 'accepted' : 'too_late';
  const press = { action: 'press', source: button, jobId, outcome } as const;
  return tx.audit.record({ atMs: nowMs, teamId, userId, ...press }, newId());
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
