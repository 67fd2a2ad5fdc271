import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModalView } from '@slack/types';
import { applyEvent, sitesOf } from '#engine/apply-event.ts';
import type { DecisionContext } from '#jobs/decide/decision-builder.ts';
import { outcomeOfOffer } from '#jobs/decide/offers.ts';
import type { JobEvent } from '#jobs/event.ts';
import { endedByOf, initiatorOf, type Job } from '#jobs/job.ts';
import { StoreError } from '#store/engines/database.ts';
import type { Transaction } from '#store/store.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { decisionData, decode, threadLink } from '../protocol/ids.ts';
import { tooLateView } from '../views/announcement.ts';
import type { ButtonTarget, JobButton } from '../views/buttons.ts';
import { noFormView } from '../views/compose.ts';
import type { SlackMessage } from '../views/message.ts';
import {
  type AdminAction,
  adminsOnlyView,
  jobAtAnotherView,
  jobForgottenView,
  notAllowedView,
  notCheckedView,
  notReadView,
  notStoredView,
  storingUnclearView,
} from '../views/private-answers.ts';
import { ChannelUnreadError } from '../workspace/access.ts';
import { SlackCallError } from '../workspace/caller.ts';
import { noteRefusal, noteRequest, type RefusedRequest } from './connection/requests.ts';
import type { Interaction, InteractionListener, ListenerDeps, Press, SharedDeps } from './listener.ts';

/** Slack waits three seconds; `answer` leaves some of them to the network. */
const withinMs = {
  answer: 2_600,
  store: 2_300,
  form: 2_000,
  list: 1_800,
  thread: 1_500,
  report: 1_500,
  admission: 1_000,
  names: 1_000,
  settings: 1_000,
  agent: 700,
  formDetail: 500,
} as const;

const deadline = new AsyncLocalStorage<number>();

/** For all `inTime` calls inside. */
export function withDeadline<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + withinMs.answer, work);
}

export function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  awaitedFor: keyof typeof withinMs,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const leftMs = (deadline.getStore() ?? Number.POSITIVE_INFINITY) - clock.now();
  return clock.timeout(Math.min(withinMs[awaitedFor], leftMs), awaited, late);
}

export async function readInTime<T>(deps: ListenerDeps, read: () => Promise<T>): Promise<T | SlackMessage> {
  try {
    return await inTime<T | SlackMessage>(deps, 'list', read(), notReadView);
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView;
  }
}

export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, 'names', deps.names.of(texts.join('\n')), new Map());
}

export function namesOf(
  deps: ListenerDeps,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, 'names', deps.names.named(userIds), new Map());
}

/** Ends a request. The person gets `answer`, in a form at `field`. */
export class Refused extends Error {
  readonly answer: SlackMessage;
  readonly field: string | undefined;
  readonly isFailure: boolean;

  constructor(answer: SlackMessage, field?: string, isFailure = false) {
    super('refused');
    this.answer = answer;
    this.field = field;
    this.isFailure = isFailure;
  }
}

export async function answer<Made extends Interaction>(
  deps: ListenerDeps,
  made: Made,
  listener: InteractionListener<Made>,
): Promise<void> {
  try {
    const message = await listener(deps, made);
    await (message === null ? made.ack() : made.tell(message));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await made.tell(error.answer, error.field);
  }
}

export function refusedIn(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

/**
 * Runs `write` again if its commit may have succeeded. `admit` returns a refusal; it calls Slack, so it runs
 * before any transaction.
 */
export async function storeRequest<T>(
  deps: ListenerDeps,
  write: () => Promise<T | Refused>,
  admit: () => Promise<SlackMessage | null> = async () => null,
): Promise<T> {
  const attempt = async (isSecond: boolean) => {
    try {
      const denial = await admit();
      return denial === null ? await write() : new Refused(denial);
    } catch (error) {
      if (error instanceof Refused) return error;
      deps.log.error('inbound_request_not_stored', { error });
      const mayBeStored = isSecond || (error instanceof StoreError && error.mayBeCommitted);
      if (mayBeStored && !isSecond) return attempt(true);
      return new Refused(mayBeStored ? storingUnclearView : notStoredView, undefined, true);
    }
  };
  const late = new Refused(storingUnclearView, undefined, true);
  const stored = await inTime(deps, 'store', attempt(false), late);
  if (!(stored instanceof Refused)) return stored;
  if (stored.isFailure) noteRequest({ outcome: 'failed' });
  throw stored;
}

/** If the store fails, the press stays unacknowledged: Slack then shows a warning at the button. */
export async function storePress<T>(
  press: Press,
  stored: Promise<T>,
  show: (answer: SlackMessage) => Promise<unknown> = press.tellBeside,
): Promise<T> {
  try {
    return await stored;
  } catch (error) {
    if (!(error instanceof Refused && error.isFailure)) throw error;
    await show(error.answer);
    throw new Error(`the press of ${press.buttonId} was not stored`);
  }
}

/** The view's id; null: not opened in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  const opened = deps.poster.openModal(triggerId, view).catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  });
  return inTime(deps, 'form', opened, null);
}

/** Null: the form is open. */
export async function openOrTell(
  deps: ListenerDeps,
  { triggerId }: Pick<Interaction, 'triggerId'>,
  view: ModalView,
  otherwise = noFormView,
): Promise<SlackMessage | null> {
  return (await openForm(deps, triggerId, view)) === null ? otherwise : null;
}

export function linkTo(
  { workspaceUrl }: ListenerDeps,
  job: Pick<Job, 'channelId' | 'threadTs'> | null,
): string | null {
  return job && threadLink(workspaceUrl, job.channelId, job.threadTs);
}

export function refusalRecorder({
  store,
  newContext,
  log,
}: Pick<SharedDeps, 'store' | 'newContext' | 'log'>) {
  return async ({ kind, key, teamId, userId, reason }: RefusedRequest) => {
    const { nowMs: atMs, newId } = newContext();
    // Time and id come before the transaction: refusals may overtake each other.
    const id = newId();
    const keys = key === null ? [] : [`refused:${teamId}:${key}`];
    const refusal = { action: 'refusal', source: kind, jobId: null, outcome: reason } as const;
    try {
      await store.transaction(async (tx) => {
        if (await tx.inboundRequests.remember(keys, atMs)) {
          await tx.audit.record({ atMs, teamId, userId, ...refusal }, id);
        }
      });
    } catch (error) {
      log.warn('refusal_not_recorded', { user_id: userId, error });
    }
  };
}

export function promptMaxOf({ newContext }: ListenerDeps): number {
  return newContext().policy.promptMaxLength;
}

const ADMINS_NAMED_MAX = 3;

/** Null: allowed. An unanswered check refuses. */
export async function admissionProblem(
  deps: ListenerDeps,
  userId: string,
  channelId: string | null,
): Promise<SlackMessage | null> {
  const late = { problem: notCheckedView(), unknown: null };
  return (await inTime(deps, 'admission', denialOf(deps, userId, channelId), late))?.problem ?? null;
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

export async function adminProblem(
  deps: ListenerDeps,
  userId: string,
  action: AdminAction,
): Promise<SlackMessage | null> {
  if (await inTime(deps, 'admission', deps.access.isAdmin(userId), false)) return null;
  noteRefusal(deps, userId, 'no_administrator');
  const admins = [...deps.access.namedAdmins].slice(0, ADMINS_NAMED_MAX);
  const names = await namesOf(deps, admins);
  const named = admins.map((id) => names.get(id) ?? id);
  return adminsOnlyView(action, userId, named);
}

/** Null: allowed. `unknown`: the error that prevented the check; null: refused. */
async function denialOf(
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
  message: WrittenBy,
  refusalKey: string | null,
): Promise<boolean> {
  if (!(await deps.access.isPerson(message.userId, message.isPostedByApp))) return false;
  const denial = await denialOf(deps, message.userId, message.channelId);
  if (denial === null) return true;
  const { problem, unknown } = denial;
  const isLasting = unknown?.failure.needsAdmin ?? true;
  const keys = [`refusal:${deps.teamId}:${refusalKey}`];
  if (isLasting && refusalKey !== null && (await rememberNow(deps, keys))) {
    await deps.poster.postEphemeral(message, problem).catch((error: unknown) => {
      deps.log.warn('refusal_not_shown', { user_id: message.userId, error });
    });
  }
  if (unknown !== null) throw unknown;
  return false;
}

function rememberNow({ store, clock }: ListenerDeps, keys: readonly string[]) {
  return store.transaction((tx) => tx.inboundRequests.remember(keys, clock.now()));
}

/** Remembers `answerKeys` last: a doubled answer does less harm than a lost one. */
export async function answerWriter(
  deps: ListenerDeps,
  { keys, ...place }: WrittenBy & { keys: readonly string[] },
  message: SlackMessage,
  elsewhere = message,
  answerKeys = keys,
): Promise<void> {
  const isKnown = await deps.store.transaction((tx) => tx.inboundRequests.isKnown([...keys, ...answerKeys]));
  noteRequest({ outcome: isKnown ? 'duplicate' : 'accepted' });
  if (isKnown) return;
  await deps.poster.replyPrivately(place, message, elsewhere);
  await rememberNow(deps, answerKeys);
}

export function refusalInThread({ channelId, threadTs, userId }: WrittenBy): string {
  return `${channelId}:${threadTs}:${userId}`;
}

type WrittenBy = Readonly<{
  userId: string;
  channelId: string;
  /** Null outside threads: Slack shows no ephemeral message in a thread without replies. */
  threadTs: string | null;
  isPostedByApp?: boolean;
}>;

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

/** The metadata of *Details* is just the channel; that of a form is JSON. */
export function channelOfView({ view }: Press): string | undefined {
  const data = view?.private_metadata;
  return data === undefined ? undefined : (decode(decisionData, data)?.channelId ?? data);
}

/** Null: already delivered. */
export async function applyOnce(
  tx: Transaction,
  deps: ListenerDeps,
  { userId, keys }: Pick<Interaction, 'userId' | 'keys'>,
  { button, jobId, event }: { button: string; jobId: string; event: JobEvent },
) {
  const context = deps.newContext();
  if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
  const after = await applyEvent(tx, jobId, event, context);
  await recordPress(tx, deps, context, { userId, button, jobId, hasEffect: after.hasEffect });
  return after;
}

export function recordPress(
  tx: Transaction,
  { teamId }: ListenerDeps,
  { nowMs: atMs, newId }: DecisionContext,
  press: { userId: string; button: string; jobId: string | null; hasEffect: boolean },
): Promise<void> {
  const { userId, button: source, jobId } = press;
  const outcome = press.hasEffect ? 'accepted' : 'too_late';
  return tx.audit.record({ atMs, teamId, userId, action: 'press', source, jobId, outcome }, newId());
}

export async function tooLate(deps: ListenerDeps, job: Job, press: JobEvent): Promise<SlackMessage> {
  const outcome = outcomeOfOffer(job, press, deps.newContext().features.decisions);
  const by = outcome?.by ?? endedByOf(job);
  const names = await namesOf(deps, by === null ? [] : [by]);
  return tooLateView(job, outcome, { names, sites: sitesOf(deps), features: deps.featureViews });
}

/** @param postedTs of the message with the button */
export async function unknownJobAnswer(deps: ListenerDeps, postedTs?: string): Promise<SlackMessage> {
  const sinceMs = postedTs === undefined ? 0 : Number(postedTs) * 1000 + CLOCK_SKEW_MS;
  return (await deps.isSharedSince(sinceMs)) ? jobAtAnotherView : jobForgottenView;
}
