import { applyEvent } from '../../../engine/apply-event.ts';
import type { CallRequest } from '../../../jobs/call.ts';
import type { AnyJobContext } from '../../../jobs/decision.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import type { Job } from '../../../jobs/job.ts';
import {
  type CallOutcome,
  type ClaimedTask,
  LeaseLostError,
  type LedgerCall,
  type Transaction,
} from '../../../store/store.ts';
import { NOT_SEEN } from '../../protocol/absence.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../slack-tools.ts';
import { type DuePost, duePost } from './due-post.ts';
import type { PostBatches } from './post-batches.ts';
import { slackRetryMs } from './slack-retry.ts';

/** What passes sooner is not worth a word. */
const TOLD_AFTER_MS = 120_000;

/** What posts are made with. */
export interface PostTools extends SlackTools {
  readonly posts: PostBatches;
  /** How far posts of unknown fate have been looked for, by their calls. Another process begins anew. */
  readonly looks: Map<string, { readonly beganAtMs: number; cursor: string | null }>;
}

/** A post whose turn it is, and where. */
export interface SlackCall extends DuePost {
  readonly workspace: Workspace;
}

/**
 * Writes the outcome of a post with what follows from it, and takes up the next of the lane. That a message is in
 * Slack counts also if the lease was lost meanwhile, as long as nobody else has settled this attempt.
 * @param call as it is in this attempt
 */
export async function settle(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  outcome: CallOutcome,
  event: JobEvent | null = null,
  also: ((tx: Transaction) => Promise<void>) | null = null,
): Promise<DuePost | null> {
  const { state, detail } = outcome;
  if (event === null && also === null && (state === 'done' || state === 'failed')) {
    const next = await tools.posts.settle({ task, callId: call.id, state, detail });
    if (next !== 'not_settled') return next;
  }
  const next = await tools.store.transaction(async (tx) => {
    const isHeld = await tx.tasks.isHeld(task.lease);
    const context = tools.newContext();
    const isOpen = await isSameAttempt(tx, call);
    if (!isOpen || (!isHeld && state !== 'done')) return isHeld ? duePost(tx, task, context) : 'taken_over';
    if (event !== null) {
      const job = await applyEvent(tx, call.jobId, event, context);
      if (event.type === 'card_posted') await takeInEarlyReplies(tx, job, context);
    }
    await tx.calls.settle(call.id, outcome, context.nowMs);
    await also?.(tx);
    return isHeld ? duePost(tx, task, context) : 'taken_over';
  });
  if (next === 'taken_over') throw new LeaseLostError(task.lease.taskId);
  return next;
}

async function isSameAttempt(tx: Transaction, { id, startedAtMs }: LedgerCall): Promise<boolean> {
  const call = await tx.calls.get(id);
  return (call?.state === 'wanted' || call?.state === 'started') && call.startedAtMs === startedAtMs;
}

/** The card could be answered before its thread was known here. */
async function takeInEarlyReplies(tx: Transaction, job: Job, context: AnyJobContext): Promise<void> {
  const { id, teamId, channelId, threadTs } = job;
  if (threadTs === null) return;
  for (const reply of await tx.earlyReplies.take({ teamId, channelId, threadTs }, context.nowMs)) {
    await applyEvent(tx, id, { type: 'reply_received', reply }, context);
  }
}

/** The message is in Slack. */
export function posted(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  ts: string,
  also: ((tx: Transaction) => Promise<void>) | null = null,
): Promise<DuePost | null> {
  const event = shownEvent(call.request, ts);
  return settle(tools, task, call, { state: 'done', detail: ts }, event, also);
}

function shownEvent(request: CallRequest, ts: string): JobEvent | null {
  if (request.kind === 'post_card') return { type: 'card_posted', ts };
  if (request.kind !== 'announce' || request.announcement.kind !== 'follow_up') return null;
  const { userId, text } = request.announcement;
  return { type: 'follow_up_shown', messageTs: ts, userId, text };
}

/** Slack does not take it. `reason` is its error code. */
export function refused(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  reason: string,
): Promise<DuePost | null> {
  return settle(tools, task, call, { state: 'failed', detail: reason }, refusal(call, reason));
}

/** It may have been shown: shown twice, it would only confuse. */
export function dropped(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  reason: string,
): Promise<DuePost | null> {
  return settle(tools, task, call, { state: 'failed', detail: `may have been shown: ${reason}` });
}

/** Nothing happened: the lane waits, and makes the call again. */
export async function retryLater(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  failure: SlackFailure,
): Promise<null> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    const { nowMs } = context;
    if (isWorthTelling(call, failure, nowMs)) {
      await applyEvent(tx, call.jobId, { type: 'card_delayed', reason: failure.code }, context);
    }
    await tx.calls.settle(call.id, { state: 'retry', detail: failure.code }, nowMs);
    if (failure.isPassing) await tx.calls.hold(call.id, nowMs);
    await tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
  });
  return null;
}

/** The requester sees no card: is it known by now that this will take a while? */
function isWorthTelling(call: LedgerCall, { needsAdmin, isPassing }: SlackFailure, nowMs: number): boolean {
  if (call.request.kind !== 'post_card') return false;
  return needsAdmin || (isPassing && nowMs - (call.heldSinceMs ?? nowMs) >= TOLD_AFTER_MS);
}

/** It may be there, where the bot cannot look now: it is looked for again, and the requester of a card is told. */
export async function waitForSight(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  failure: SlackFailure,
): Promise<null> {
  const isLasting = failure.outcome === 'refused' || failure.needsAdmin;
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    const { nowMs } = context;
    const isTold = isLasting || nowMs - (call.heldSinceMs ?? nowMs) >= TOLD_AFTER_MS;
    if (call.request.kind === 'post_card' && isTold) {
      const reason = isLasting ? failure.code : NOT_SEEN;
      await applyEvent(tx, call.jobId, { type: 'card_delayed', reason }, context);
    }
    await tx.calls.hold(call.id, nowMs);
    await tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
  });
  return null;
}

/** It may be there, and was looked for long enough: people are told so, and the lane goes on. */
export function notSeen(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  detail: string,
): Promise<DuePost | null> {
  return settle(tools, task, call, { state: 'unknown', detail }, refusal(call, NOT_SEEN));
}

/**
 * Slack could not be asked, so the lane waits. How long Slack hides the post counts anew from its next answer: an
 * outage must not use up that time.
 */
export async function lookAgain(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  failure: SlackFailure,
): Promise<null> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    if (call.heldSinceMs !== null) await tx.calls.endHold(call.id);
    await tx.tasks.retryAt(task.lease, tools.clock.now() + slackRetryMs(task, failure));
  });
  return null;
}

/** It is too early to look: the lane waits, and the call stays as it is. */
export async function defer(tools: PostTools, task: ClaimedTask, runAtMs: number): Promise<null> {
  await tools.store.transaction((tx) => tx.tasks.delayUntil(task.lease, runAtMs));
  return null;
}

/** What a refused post means for its job. */
function refusal({ id, request }: LedgerCall, reason: string): JobEvent | null {
  switch (request.kind) {
    case 'post_card':
      return { type: 'card_refused', reason };
    case 'notify_channel':
      return { type: 'notice_refused', channelId: request.channelId, reason };
    case 'announce':
      return { type: 'post_refused', callId: id, announcement: request.announcement, reason };
    default:
      return null;
  }
}
