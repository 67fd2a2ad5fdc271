import { type AnyJobContext, applyEvent, factsOf as factsOfJob } from '#engine/apply-event.ts';
import { type DueCall, type Effect, runLane, type Wait } from '#engine/run-lane.ts';
import { announcedLink, meaningOf } from '#jobs/announcement.ts';
import type { CallOutcome } from '#jobs/call.ts';
import type { JobEvent } from '#jobs/event.ts';
import { initiatorOf } from '#jobs/job.ts';
import { seenPullRequest } from '#jobs/pull-requests/pull-request.ts';
import { CLOCKS_DIFFER_MS } from '#jobs/schedule/schedule.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '#store/store.ts';
import { classOf, INVALID_CURSOR, isNotInChannel, isPlaceClosed, NOT_SEEN } from '../protocol/error-codes.ts';
import type { SlackMessage } from '../views/message.ts';
import { isBetweenPeople, movedView } from '../views/private-answers.ts';
import { failureIn, type SlackFailure } from '../workspace/caller.ts';
import { takeInEarlyReplies } from '../workspace/early-replies.ts';
import { TOO_MANY_MESSAGES } from '../workspace/poster.ts';
import { rereadRequest } from './catch-up.ts';
import { HELD_FOR_MS, PLACE_WAITED_FOR_MS, type SlackTools, slackRetryMs } from './refresh.ts';
import { destinationOf, renderPost } from './render.ts';

/** Slack's limit. */
const RESPONSE_URL_LIFE_MS = 30 * 60_000;
const INVITATION_WAITED_FOR_MS = 86_400_000;
const EPHEMERAL_TRIED_FOR_MS = 60_000;
const NOTIFIED_AFTER_MS = 120_000;

/** Slack may still be storing the post. */
const FIRST_SEARCH_AFTER_MS = 2_000;
/**
 * Twice `SEND_WITHIN_MS`, to connect and to send, plus ten seconds for Slack. In time awake, since requests
 * in flight continue after sleep.
 */
const ABSENT_AFTER_MS = 20_000;
/**
 * Bytes sent just before sleep arrive on waking, until Slack closes the idle connection. Also limits the
 * search.
 */
const POST_ARRIVES_WITHIN_MS = 15 * 60_000;
/** Then, the thread reports an unclear post. */
const SEARCHED_FOR_MS = 30 * 60_000;
/** Cards may get replies while the bot is out of the channel. */
const CARD_SEARCHED_FOR_MS = 86_400_000;
/** Slack answers, but hides posts. */
const OUT_OF_SIGHT = new Set([TOO_MANY_MESSAGES, 'missing_scope', 'ratelimited']);

export type PostResult = Readonly<{
  outcome?: CallOutcome;
  event?: JobEvent | null;
  hold?: 'begins' | 'ends';
  wantsCatchUp?: true;
  wait?: Wait;
}>;

interface Attempt extends DueCall {
  readonly task: ClaimedTask;
  readonly failure: SlackFailure;
  readonly nowMs: number;
}

const NOT_FOUND = { outcome: { state: 'retry', detail: 'not found in Slack' } } as const;

/** By call. Another process starts over. */
type Searches = Map<string, { readonly beganAtMs: number; cursor: string | null }>;

export function postToSlack(tools: SlackTools): (task: ClaimedTask) => Promise<void> {
  const searches: Searches = new Map();
  return (task) => runLane(tools, postEffect(tools, searches, task), task);
}

function postEffect(
  tools: SlackTools,
  searches: Searches,
  task: ClaimedTask,
): Effect<SlackMessage, PostResult> {
  const { clock, log, workspaces } = tools;
  return { prepare, admit, perform, classify, recover, applicableResult, record };

  async function prepare(due: DueCall) {
    const workspace = await workspaces.of(due.job.teamId);
    const mayBeChanged = due.call.request.kind === 'post_card' && task.attempts > 0;
    const job = mayBeChanged ? await rereadRequest(tools, workspace, due.job) : due.job;
    return renderPost(tools, { ...due, job }, workspace);
  }

  async function perform(started: DueCall, message: SlackMessage) {
    const { call } = started;
    const ts = await send(started, message);
    const lag = { lag_ms: clock.now() - call.createdAtMs };
    log.info('posted', { ...factsOf(started), outcome: 'done', ...durationOf(call), ...lag });
    return posted(call, ts);
  }

  /** Returns `ts`, empty for a private message. */
  async function send({ call: { id: callId, request }, job }: DueCall, message: SlackMessage) {
    const { poster, access } = await workspaces.of(job.teamId);
    const { channelId, threadTs } = job;
    const destination = destinationOf(job, request);
    const initiator = initiatorOf(job);
    if (destination !== null) {
      // In a shared channel, these go to the initiator alone. Drafts and replies from forms are refused.
      const isForOne = request.kind === 'announce' && !meaningOf(request.announcement).isOfThread;
      if (!isForOne || initiator === null || !(await access.shared.isClosed(destination.channelId))) {
        return poster.post({ ...destination, callId, message });
      }
      await poster.respondPrivately(initiator, null, movedView(channelId, message));
    } else if (request.kind === 'ephemeral') {
      await poster.postEphemeral({ channelId, threadTs, userId: request.userId }, message);
    } else if (initiator !== null && request.kind === 'notify_requester') {
      // Unattended jobs make no private calls.
      if (request.about === 'asked_before') {
        await poster.replyPrivately({ channelId, threadTs: null, userId: initiator }, message);
      } else {
        // Kept news could be overlooked as an answer to an old request.
        const isFresh = request.isKept !== true && clock.now() - job.requestedAtMs < RESPONSE_URL_LIFE_MS;
        await poster.respondPrivately(initiator, isFresh ? job.responseUrl : null, message);
      }
    }
    return '';
  }

  function classify(started: DueCall, thrown: unknown) {
    const attempt = failedAttempt(started, thrown);
    const { code: reason, outcome } = attempt.failure;
    log.warn('posted', { ...factsOf(started), outcome, reason, ...durationOf(started.call) });
    logNeedOfAdmin(attempt);
    return notPosted(attempt);
  }

  /** Makes the call pending again if there is no post. */
  async function recover(due: DueCall): Promise<PostResult> {
    const { call, job } = due;
    if (call.request.kind === 'ephemeral') return dropped('interrupted');
    const destination = destinationOf(job, call.request);
    if (destination === null) return NOT_FOUND;
    const startedAtMs = call.startedAtMs ?? call.createdAtMs;
    const nowMs = clock.now();
    // Started by a fast clock, it may have been posted at any recent time.
    const isAhead = startedAtMs > nowMs + CLOCKS_DIFFER_MS;
    const sinceMs = isAhead ? nowMs - CARD_SEARCHED_FOR_MS : startedAtMs;
    const untilMs = isAhead ? nowMs : sinceMs + POST_ARRIVES_WITHIN_MS;
    // After a crash, the dead process's post may still be under way.
    const firstSearchAtMs = sinceMs + FIRST_SEARCH_AFTER_MS;
    if (nowMs < firstSearchAtMs) return { wait: { delayUntilMs: firstSearchAtMs } };
    const search = searches.get(call.id) ?? { beganAtMs: nowMs, cursor: null };
    searches.set(call.id, search);
    try {
      const { poster } = await workspaces.of(job.teamId);
      const ts = await poster.find({ ...destination, callId: call.id }, sinceMs, untilMs, search);
      searches.delete(call.id);
      const isFound = ts !== null;
      const lag = isFound && { lag_ms: nowMs - call.createdAtMs };
      log.info('post_looked_for', { ...factsOf(due), outcome: isFound ? 'adopted' : 'absent', ...lag });
      if (isFound) return { ...posted(call, ts), wantsCatchUp: true };
      // Read after the search, since the machine may sleep during it.
      const sureAtMs = Math.max(sinceMs, clock.awakeSinceMs()) + ABSENT_AFTER_MS;
      return search.beganAtMs < sureAtMs
        ? { wait: { delayUntilMs: sureAtMs } }
        : { ...NOT_FOUND, hold: 'ends' };
    } catch (error) {
      const attempt = failedAttempt(due, error);
      const result = notSearched(attempt);
      const isOver = result.outcome !== undefined;
      if (isOver || attempt.failure.code === INVALID_CURSOR) searches.delete(call.id);
      const level = result.outcome?.state === 'unknown' ? 'error' : 'warn';
      const facts = { outcome: isOver ? 'given_up' : 'failed', reason: attempt.failure.code };
      log[level]('post_looked_for', { ...factsOf(due), ...facts });
      logNeedOfAdmin(attempt);
      return result;
    }
  }

  function failedAttempt(due: DueCall, error: unknown): Attempt {
    return { ...due, task, failure: failureIn(error), nowMs: clock.now() };
  }

  function logNeedOfAdmin(attempt: Attempt) {
    const { code: reason, needsAdmin } = attempt.failure;
    if (needsAdmin) log.error('slack_needs_admin', { ...factsOf(attempt), reason });
  }

  function factsOf({ call, job }: DueCall) {
    return { call_id: call.id, call: call.request.kind, ...factsOfJob(job) };
  }

  function durationOf({ startedAtMs }: LedgerCall) {
    return { duration_ms: clock.now() - (startedAtMs ?? 0) };
  }
}

async function admit(_tx: Transaction, { call, job: { stage } }: DueCall) {
  const { kind } = call.request;
  const draft = draftIn(call);
  if (draft !== null) {
    const isOpen = stage.kind === 'draft' && stage.number === draft.number;
    return isOpen ? null : refusalResult(call, 'settled');
  }
  // The request's message was deleted.
  if (kind === 'post_card' && stage.kind === 'dropped') return refusalResult(call, 'settled');
  // Without a card there is no thread to post in.
  return kind === 'announce' && stage.kind === 'card_failed' ? refusalResult(call, stage.reason) : null;
}

function notPosted(attempt: Attempt): PostResult {
  const { call, job, failure, nowMs } = attempt;
  switch (failure.outcome) {
    case 'refused':
      return mayWaitForPlace(attempt)
        ? { ...retryLater(attempt), event: placeDelayed(call, failure.code) }
        : refusalResult(call, failure.code);
    case 'retry':
      return isTriedForLong(attempt) ? refusalResult(call, failure.code) : retryLater(attempt);
    case 'unknown':
      if (call.request.kind === 'ephemeral') return dropped(failure.code);
      // Private messages can't be searched for, and a duplicate is better than silence.
      if (destinationOf(job, call.request) === null) return retryLater(attempt);
      return { wait: { delayUntilMs: nowMs + FIRST_SEARCH_AFTER_MS } };
  }
}

function notSearched(attempt: Attempt): PostResult {
  const { call, failure, nowMs } = attempt;
  const { code, outcome, needsAdmin, isPassing } = failure;
  if (outcome === 'refused' && code !== INVALID_CURSOR) {
    return mayWaitForPlace(attempt) ? waitUntilReadable(attempt) : refusalResult(call, code);
  }
  // An outage doesn't hide posts.
  if (code === INVALID_CURSOR || (!isPassing && !OUT_OF_SIGHT.has(code))) {
    return { hold: 'ends', wait: retryOf(attempt) };
  }
  const sinceMs = call.startedAtMs ?? call.createdAtMs;
  const isRecentCard = call.request.kind === 'post_card' && nowMs < sinceMs + CARD_SEARCHED_FOR_MS;
  const heldMs = nowMs - Math.max(call.heldSinceMs ?? nowMs, sinceMs);
  if ((isRecentCard && needsAdmin) || heldMs < SEARCHED_FOR_MS) return waitUntilReadable(attempt);
  // The thread reports it.
  const draft = draftIn(call)?.number;
  return {
    outcome: { state: 'unknown', detail: code },
    event: draft === undefined ? refusalEvent(call, NOT_SEEN) : { type: 'draft_unseen', draft },
  };
}

function waitUntilReadable(attempt: Attempt): PostResult {
  const { call, failure } = attempt;
  const isLasting = failure.outcome === 'refused' || failure.needsAdmin;
  const isWorthNotifying = isLasting || heldMs(attempt) >= NOTIFIED_AFTER_MS;
  const event = isWorthNotifying ? cardDelayed(call, isLasting ? failure.code : NOT_SEEN) : null;
  return { event, hold: 'begins', wait: retryOf(attempt) };
}

export async function record(
  tx: Transaction,
  { call, job }: DueCall,
  { outcome, event, hold, wantsCatchUp, wait }: PostResult,
  context: AnyJobContext,
): Promise<Wait | null> {
  const { nowMs } = context;
  if (event) {
    // Without a card, the job keeps replies for *Try again*.
    if (event.type === 'card_refused') await takeInEarlyReplies(tx, job.id, job, context);
    const { job: after } = await applyEvent(tx, job.id, event, context);
    const isPosted = event.type === 'card_posted' || event.type === 'draft_posted';
    if (isPosted) await takeInEarlyReplies(tx, job.id, after, context);
  }
  if (outcome !== undefined) await tx.calls.recordOutcome(call.id, outcome, nowMs);
  if (outcome?.state === 'done') await refreshIfChanged(tx, call, nowMs);
  if (hold === 'begins') await tx.calls.holdSince(call.id, nowMs);
  if (hold === 'ends' && call.heldSinceMs !== null) await tx.calls.holdSince(call.id, null);
  if (wantsCatchUp) await tx.catchUps.request(job, nowMs);
  return wait ?? null;
}

/** Its offer or pull request may have changed during the post. */
async function refreshIfChanged(tx: Transaction, { id, jobId, lane, request }: LedgerCall, nowMs: number) {
  const isNotice = request.kind === 'notify_channel';
  if (!isNotice && request.kind !== 'announce') return;
  const url = isNotice ? request.url : announcedLink(request.announcement);
  const job = await tx.jobs.get(jobId);
  if (job === null) return;
  const isDecided = job.offers?.some(({ postId, outcome }) => postId === id && outcome !== null);
  if (!isDecided && (url === null || seenPullRequest(job, url) === null)) return;
  const [kind, subject] = isNotice
    ? (['refresh_notice', lane] as const)
    : (['refresh_posts', jobId] as const);
  await tx.tasks.schedule({ kind, subject, runAtMs: nowMs, ifScheduled: 'replace' });
}

/** A post counts even without the lease. */
export function applicableResult(
  result: PostResult,
  { state }: LedgerCall,
  isHeld: boolean,
): PostResult | null {
  const isOpen = state === 'pending' || state === 'started';
  return isOpen && (isHeld || result.outcome?.state === 'done') ? result : null;
}

function posted({ request }: LedgerCall, ts: string): PostResult {
  const outcome = { state: 'done', detail: ts } as const;
  if (request.kind === 'post_card') return { outcome, event: { type: 'card_posted', ts } };
  const announcement = request.kind === 'announce' ? request.announcement : null;
  switch (announcement?.kind) {
    case 'draft':
      return { outcome, event: { type: 'draft_posted', draft: announcement.number, ts } };
    case 'follow_up': {
      const { userId, text } = announcement;
      return { outcome, event: { type: 'follow_up_shown', messageTs: ts, userId, text } };
    }
    default:
      return { outcome };
  }
}

export function draftIn({ request }: Pick<LedgerCall, 'request'>) {
  const announcement = request.kind === 'announce' ? request.announcement : null;
  return announcement?.kind === 'draft' ? announcement : null;
}

export function refusalResult(call: LedgerCall, reason: string): PostResult {
  return { outcome: { state: 'failed', detail: reason }, event: refusalEvent(call, reason) };
}

function mayWaitForPlace({ call, job, failure: { code }, nowMs }: Attempt) {
  const { request, createdAtMs } = call;
  if (!isPlaceClosed(code)) return false;
  const waitedMs = nowMs - createdAtMs;
  if (request.kind === 'notify_channel') return waitedMs < PLACE_WAITED_FOR_MS;
  if (request.kind === 'post_card' || draftIn(call) !== null) {
    // Workflow steps don't wait for people.
    if (job.origin.kind === 'workflow' || waitedMs >= INVITATION_WAITED_FOR_MS) return false;
    // Without an initiator, administrators see it on the Home tab.
    return initiatorOf(job) === null || (isNotInChannel(code) && !isBetweenPeople(code, job));
  }
  // The agent gets a form's reply without its message, too.
  const isKept = request.kind === 'announce' && request.announcement.kind !== 'follow_up';
  return isKept && !isBetweenPeople(code, job) && waitedMs < PLACE_WAITED_FOR_MS;
}

function retryOf({ task, failure, nowMs }: Attempt): Wait {
  return { retryAtMs: nowMs + slackRetryMs(task, failure) };
}

/** Null: only shown on administrators' Home tabs. */
function placeDelayed(call: LedgerCall, reason: string): JobEvent | null {
  const { id: callId, request } = call;
  if (request.kind === 'notify_channel') return refusalEvent(call, reason);
  if (request.kind !== 'announce' || draftIn(call) !== null) return cardDelayed(call, reason);
  return { type: 'post_delayed', callId, announcement: request.announcement, reason };
}

/** A duplicate would confuse. */
function dropped(reason: string): PostResult {
  return { outcome: { state: 'failed', detail: `may have been shown: ${reason}` } };
}

export function retryLater(attempt: Attempt): PostResult {
  const { call, failure } = attempt;
  const { code, needsAdmin, isPassing } = failure;
  const isWorthNotifying = needsAdmin || (isPassing && heldMs(attempt) >= NOTIFIED_AFTER_MS);
  return {
    outcome: { state: 'retry', detail: code },
    event: isWorthNotifying ? cardDelayed(call, code) : null,
    ...(isPassing && { hold: 'begins' }),
    wait: retryOf(attempt),
  };
}

export function isTriedForLong(attempt: Attempt): boolean {
  const { call, failure, nowMs } = attempt;
  if (call.request.kind === 'ephemeral') return nowMs - call.createdAtMs > EPHEMERAL_TRIED_FOR_MS;
  return failure.isPassing && heldMs(attempt) > HELD_FOR_MS;
}

function heldMs({ call: { heldSinceMs }, nowMs }: Attempt) {
  return nowMs - (heldSinceMs ?? nowMs);
}

function cardDelayed({ request }: LedgerCall, reason: string): JobEvent | null {
  if (request.kind !== 'post_card') return null;
  if (isNotInChannel(reason)) return { type: 'card_delayed', reason, waitsFor: 'invitation' };
  const isForAdmin = classOf(reason) === 'admin';
  return { type: 'card_delayed', reason, ...(isForAdmin && { waitsFor: 'administrator' }) };
}

function refusalEvent({ id: callId, request }: LedgerCall, reason: string): JobEvent | null {
  switch (request.kind) {
    case 'post_card':
      return { type: 'card_refused', reason };
    case 'notify_channel':
      return { type: 'notice_refused', channelId: request.channelId, reason };
    case 'announce':
      return { type: 'post_refused', callId, announcement: request.announcement, reason };
    case 'tell_paused':
      return { type: 'pause_refused' };
    default:
      return null;
  }
}
