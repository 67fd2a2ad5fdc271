import { applyEvent } from '../../../engine/apply-event.ts';
import { type DueCall, type Effect, runLane, type Wait } from '../../../engine/run-lane.ts';
import { announcedLink, meaningOf, offerOf } from '../../../jobs/announcement.ts';
import type { CallRequest } from '../../../jobs/call.ts';
import type { AnyJobContext } from '../../../jobs/decision.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { initiatorOf, type Job } from '../../../jobs/job.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../../../store/store.ts';
import { rewrittenRequest } from '../../messages/rewritten-request.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { movedView } from '../../views/thread/requester.ts';
import { takeInEarlyReplies } from '../../workspace/early-replies.ts';
import type { Poster } from '../../workspace/poster.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../refresh/refresh.ts';
import { destinationOf, renderPost } from '../render.ts';
import {
  type Attempt,
  draftIn,
  dropped,
  FIRST_LOOK_AFTER_MS,
  factsOfPost,
  failureIn,
  isTriedForLong,
  type Looks,
  lookForPost,
  mayWaitForPlace,
  type PostResult,
  posted,
  refused,
  retryLater,
  stillCounts,
  waitForPlace,
} from './post-results.ts';

/** How long Slack accepts a `response_url`. */
const RESPONSE_URL_LIFE_MS = 30 * 60_000;

export function postToSlack(
  tools: SlackTools,
  looks: Looks = new Map(),
): (task: ClaimedTask) => Promise<void> {
  return (task) => runLane(tools, posts(tools, looks, task), task);
}

/** A post of unclear fate is looked for before it is repeated. */
function posts(tools: SlackTools, looks: Looks, task: ClaimedTask): Effect<SlackMessage, PostResult> {
  const { clock, log, workspaces } = tools;
  return {
    prepare: async (due) => {
      const workspace = await workspaces.of(due.job.teamId);
      const mayBeChanged = due.call.request.kind === 'post_card' && task.attempts > 0;
      const job = mayBeChanged ? await rereadRequest(tools, workspace, due.job) : due.job;
      return renderPost(tools, { ...due, job }, workspace);
    },
    admit: async (_tx, { call, job: { stage } }) => {
      const draft = draftIn(call);
      if (draft !== null) {
        const isOpen = stage.kind === 'draft' && stage.number === draft.number;
        return isOpen ? null : refused(call, 'settled');
      }
      // The message that asked was deleted.
      if (call.request.kind === 'post_card' && stage.kind === 'dropped') return refused(call, 'settled');
      // The card was refused: there is no thread, and in the channel it would lack its context.
      const hasNoThread = call.request.kind === 'announce' && stage.kind === 'card_failed';
      return hasNoThread ? refused(call, stage.reason) : null;
    },
    perform: async (started, message) => {
      const { call } = started;
      const ts = await send(started, message);
      const lag = { lag_ms: clock.now() - call.createdAtMs };
      log.info('posted', { ...factsOfPost(started), outcome: 'done', ...duration(call), ...lag });
      return posted(call, ts);
    },
    classify: (started, thrown) => {
      const failure = failureIn(thrown, 'chat.postMessage');
      const { outcome, code: reason } = failure;
      const facts = factsOfPost(started);
      log.warn('posted', { ...facts, outcome, reason, ...duration(started.call) });
      if (failure.needsAdmin) log.error('slack_needs_admin', { ...facts, reason });
      return notPosted({ task, ...started, failure, nowMs: clock.now() });
    },
    recover: async (started) =>
      lookForPost(tools, looks, task, started, await workspaces.of(started.job.teamId)),
    stillCounts,
    settle,
  };

  function duration({ startedAtMs }: LedgerCall) {
    return { duration_ms: clock.now() - (startedAtMs ?? 0) };
  }

  async function replyPrivately(poster: Poster, { request }: LedgerCall, job: Job, message: SlackMessage) {
    const { channelId, threadTs } = job;
    if (request.kind === 'ephemeral') {
      return poster.postEphemeral({ channelId, threadTs, userId: request.userId }, message);
    }
    const userId = initiatorOf(job);
    // Never happens: unattended jobs make no private calls.
    if (userId === null) return;
    if ('about' in request && request.about === 'asked_before') {
      return poster.replyPrivately({ channelId, threadTs: null, userId }, message);
    }
    // News of a job that continued unwatched: as an answer to an old request, it could be overlooked.
    const isNews = request.kind === 'notify_requester' && request.isKept === true;
    const isFresh = !isNews && clock.now() - job.requestedAtMs < RESPONSE_URL_LIFE_MS;
    return poster.respondPrivately(userId, isFresh ? job.responseUrl : null, message);
  }

  /** Its `ts`; empty for a message to one person, which has no place. */
  async function send({ call, job }: DueCall, message: SlackMessage): Promise<string> {
    const { poster, access } = await workspaces.of(job.teamId);
    const destination = destinationOf(job, call.request);
    if (destination === null) {
      await replyPrivately(poster, call, job, message);
      return '';
    }
    const reader = readerInstead(call, job);
    if (reader === null || !(await access.shared.isClosed(destination.channelId))) {
      return poster.post({ ...destination, callId: call.id, message });
    }
    await poster.respondPrivately(reader, null, movedView(job.channelId, message));
    return '';
  }
}

/**
 * Who reads what the thread must not show, since its channel became shared with another organisation; null:
 * nobody. Drafts and replies written in forms are refused instead.
 */
function readerInstead({ request }: LedgerCall, job: Job): string | null {
  if (request.kind !== 'announce' || meaningOf(request.announcement).isOfThread) return null;
  return initiatorOf(job);
}

function notPosted(attempt: Attempt): PostResult {
  const { call, job, failure, nowMs } = attempt;
  switch (failure.outcome) {
    case 'refused':
      return mayWaitForPlace(attempt) ? waitForPlace(attempt) : refused(call, failure.code);
    case 'retry':
      return isTriedForLong(attempt) ? refused(call, failure.code) : retryLater(attempt);
    case 'unknown':
      if (call.request.kind === 'ephemeral') return dropped(failure.code);
      // A private answer cannot be looked for. Sending it twice does less harm than silence.
      if (destinationOf(job, call.request) === null) return retryLater(attempt);
      return { wait: { delayUntilMs: nowMs + FIRST_LOOK_AFTER_MS } };
  }
}

/** Writes the outcome with what follows from it. */
export async function settle(
  tx: Transaction,
  { call, job }: DueCall,
  { outcome, event, hold, wantsCatchUp, wait }: PostResult,
  context: AnyJobContext,
): Promise<Wait | null> {
  const { nowMs } = context;
  if (event) {
    const { id, teamId, channelId } = job;
    const takeIn = async (threadTs: string | null) => {
      if (threadTs !== null) await takeInEarlyReplies(tx, id, { teamId, channelId, threadTs }, context);
    };
    // Without a card the job loses its thread, and keeps the replies for *Try again*.
    if (event.type === 'card_refused') await takeIn(job.threadTs);
    const { job: after } = await applyEvent(tx, id, event, context);
    if (event.type === 'card_posted' || event.type === 'draft_posted') await takeIn(after.threadTs);
  }
  if (outcome !== undefined) await tx.calls.settle(call.id, outcome, nowMs);
  if (outcome?.state === 'done') await showNews(tx, call, job, nowMs);
  if (hold === 'begins') await tx.calls.hold(call.id, nowMs);
  if (hold === 'ends' && call.heldSinceMs !== null) await tx.calls.hold(call.id, null);
  if (wantsCatchUp) await tx.catchUps.request(job, nowMs);
  return wait ?? null;
}

/** Its content may have changed while it was being posted: an offer was settled, or a code host answered. */
async function showNews(
  tx: Transaction,
  { id, jobId, lane, request }: LedgerCall,
  before: Job,
  nowMs: number,
): Promise<void> {
  const isOffer = request.kind === 'announce' && offerOf(request.announcement, before) !== null;
  const url = linkIn(request);
  if (!isOffer && url === null) return;
  const job = await tx.jobs.get(jobId);
  const isSettled = job?.offers?.some(({ postId, outcome }) => postId === id && outcome !== null) === true;
  const isDescribed = job !== null && url !== null && seenPullRequest(job, url) !== null;
  if (!isSettled && !isDescribed) return;
  const task =
    request.kind === 'notify_channel'
      ? ({ kind: 'refresh_notice', subject: lane } as const)
      : ({ kind: 'refresh_posts', subject: jobId } as const);
  await tx.tasks.schedule({ ...task, runAtMs: nowMs, ifScheduled: 'replace' });
}

function linkIn(request: CallRequest): string | null {
  if (request.kind === 'notify_channel') return request.url;
  return request.kind === 'announce' ? announcedLink(request.announcement) : null;
}

/** Slack does not have the message, or no longer. */
const DELETED = 'thread_not_found';

/**
 * The job after reading its request again: in a channel without the bot, Slack reports no edits or deletions.
 * If it cannot be read, the request stays as stored.
 */
async function rereadRequest(tools: SlackTools, workspace: Workspace, job: Job): Promise<Job> {
  const { requestTs: messageTs, requesterId: userId, stage } = job;
  // The request was written in a form that a thread's message opened.
  if (messageTs === undefined || userId === null || messageTs !== job.threadTs) return job;
  if (stage.kind !== 'opening') return job;
  const event = await changeOf(tools, workspace, { channelId: job.channelId, messageTs, userId });
  if (event === null) return job;
  const reread = await tools.store.transaction((tx) => applyEvent(tx, job.id, event, tools.newContext()));
  return reread.job;
}

async function changeOf(
  { log, promptMaxLength }: SlackTools,
  { poster, projects, botUserId }: Workspace,
  asked: { readonly channelId: string; readonly messageTs: string; readonly userId: string },
): Promise<JobEvent | null> {
  const { channelId, messageTs, userId } = asked;
  const deleted = { type: 'request_deleted', messageTs, userId } as const;
  try {
    const place = { oldestTs: messageTs, cursor: null };
    const { messages } = await poster.threadPage(channelId, messageTs, place);
    const message = messages.find(({ ts }) => ts === messageTs);
    if (message?.subtype === 'tombstone') return deleted;
    if (message?.edited === undefined || projects === null) return null;
    return rewrittenRequest(message, { userId, botUserId, projects, promptMaxLength });
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    if (error.failure.code === DELETED) return deleted;
    log.warn('request_not_read_again', { channel_id: channelId, reason: error.failure.code });
    return null;
  }
}
