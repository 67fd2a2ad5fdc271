import { applyEvent, factsOf } from '../../../engine/apply-event.ts';
import type { TaskHandler } from '../../../engine/loop.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { isBeforeJob, type Job } from '../../../jobs/job.ts';
import { retryDelayMs } from '../../../jobs/schedule/schedule.ts';
import type { ThreadToRead } from '../../../store/queries/catch-ups.ts';
import { type ClaimedTask, LeaseLostError, type Transaction } from '../../../store/store.ts';
import { isPostedByApp, isTooOld, messageKeys, replyOf } from '../../messages/message-event.ts';
import { rewrittenRequest } from '../../messages/rewritten-request.ts';
import { INVALID_CURSOR } from '../../protocol/error-codes.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError, type SlackFailure } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type SlackTools, slackRetryMs } from '../refresh/refresh.ts';

/** Older replies are announced when found; younger ones are treated as if they had arrived in time. */
const OLD_AFTER_MS = 10 * 60_000;
/** Reading starts this long before the last seen message: recent messages may have been edited since. */
const EDITED_WITHIN_S = 3_600;
/** Each replica sweeps by its own clock. */
const SWEEP_NOT_BEFORE_MS = 10 * 60_000;
/** Some hours: the next start, or sign of missed replies, tries it again. */
const MAX_FAILURES = 50;
const HOPELESS_FOR_MS = 86_400_000;
/** It may happen again, so other threads are read first. */
const BEGUN_AGAIN_AFTER_MS = 5 * 60_000;

interface Found extends ThreadToRead {
  readonly job: Job & { readonly threadTs: string };
}

/** Reads a workspace's threads for missed replies, one page at a time; each reply found is stored once. */
export function catchUps(tools: SlackTools): TaskHandler {
  const throttles = new Map<string, ReadThrottle>();
  return (task) => {
    const throttle = throttles.get(task.subject) ?? new ReadThrottle();
    throttles.set(task.subject, throttle);
    return readNextPage(tools, throttle, task);
  };
}

async function readNextPage(tools: SlackTools, throttle: ReadThrottle, task: ClaimedTask): Promise<void> {
  const { store, clock, log } = tools;
  const thread = await nextThread(tools, throttle, task);
  if (thread === null) return;
  const { job } = thread;
  const workspace = await tools.workspaces.of(job.teamId);
  // A workspace that is not set up has no agent. The next start plans it again.
  if (workspace.projects === null) return store.transaction((tx) => tx.tasks.complete(task.lease));
  try {
    const oldestTs = thread.oldestTs ?? startOf(thread, throttle);
    const page = await workspace.poster.threadPage(job.channelId, job.threadTs, { ...thread, oldestTs });
    throttle.read(clock.now());
    const messages = await admitted(workspace, job, page.messages);
    await store.transaction(async (tx) => {
      await tx.tasks.fence(task.lease);
      const nowMs = clock.now();
      const oldReplies = thread.oldReplies + (await takeIn(tools, tx, job, messages, workspace));
      const seenTs = [thread.seenTs ?? '', ...page.messages.map(({ ts }) => ts)].sort().at(-1) ?? null;
      const sweepFromMs = nowMs + SWEEP_NOT_BEFORE_MS;
      const read = { seenTs, oldestTs, cursor: page.cursor, oldReplies, sweepFromMs };
      await tx.catchUps.pageRead(thread, read, nowMs);
      if (page.cursor === null && oldReplies > 0) {
        await applyEvent(tx, job.id, { type: 'old_replies_found', count: oldReplies }, tools.newContext());
      }
      await goOn(tx, task, throttle);
    });
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    const nowMs = clock.now();
    const failure = error instanceof SlackCallError ? error.failure : null;
    if (failure === null) log.error('thread_not_processed', { ...factsOf(job), error });
    else if (failure.retryAfterMs !== null) throttle.refused(nowMs + failure.retryAfterMs);
    else {
      throttle.read(nowMs);
      log.warn('thread_not_read', { ...factsOf(job), reason: failure.code });
    }
    await store.transaction(async (tx) => {
      await tx.tasks.fence(task.lease);
      // No other thread of the workspace could be read, either.
      if (failure?.needsAdmin) return tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
      await putOff(tx, thread, failure, nowMs);
      await goOn(tx, task, throttle);
    });
  }
}

/**
 * The workspace's other threads continue.
 * @param failure null: the thread was read, and its content must not keep the others from being read
 */
async function putOff(
  tx: Transaction,
  { jobId, cursor, failures }: Found,
  failure: SlackFailure | null,
  nowMs: number,
): Promise<void> {
  if (failure?.code === INVALID_CURSOR && cursor !== null) {
    return tx.catchUps.dropCursor(jobId, nowMs + BEGUN_AGAIN_AFTER_MS);
  }
  const isRefused = failure?.outcome === 'refused';
  // At Slack's limit, the thread is the next one.
  if (!isRefused && (failure?.retryAfterMs ?? null) !== null) return;
  // Refused: the channel or thread is gone, or the bot has left it.
  return isRefused || failures >= MAX_FAILURES
    ? tx.catchUps.giveUp(jobId, nowMs + HOPELESS_FOR_MS, nowMs)
    : tx.catchUps.retryAt(jobId, nowMs + retryDelayMs(failures + 1, Math.random()));
}

/** The next thread to read; null if nothing can be read now. */
function nextThread(
  { store, clock }: SlackTools,
  throttle: ReadThrottle,
  task: ClaimedTask,
): Promise<Found | null> {
  return store.transaction(async (tx) => {
    const nowMs = clock.now();
    const thread = nowMs < throttle.nextAtMs ? null : await tx.catchUps.next(task.subject, nowMs);
    const threadTs = thread?.job.threadTs ?? null;
    if (thread !== null && threadTs !== null) return { ...thread, job: { ...thread.job, threadTs } };
    if (thread !== null) await tx.catchUps.drop(thread.jobId);
    await goOn(tx, task, throttle);
    return null;
  });
}

async function goOn(tx: Transaction, { subject, lease }: ClaimedTask, throttle: ReadThrottle): Promise<void> {
  const nextAtMs = await tx.catchUps.nextAtMs(subject);
  if (nextAtMs === null) await tx.tasks.complete(lease);
  else await tx.tasks.delayUntil(lease, Math.max(nextAtMs, throttle.nextAtMs));
}

/** Old messages are not read again for edits while reads are scarce, or nothing points to missed ones. */
function startOf({ job, seenTs, unsentTs, isSweep }: Found, { isSlow }: ReadThrottle): string {
  const { repliesAfterTs, threadTs } = job;
  if (seenTs === null || !(isSlow || isSweep)) return repliesAfterTs ?? threadTs;
  const edited = (Number(seenTs) - EDITED_WITHIN_S).toFixed(6);
  return unsentTs !== null && unsentTs < edited ? unsentTs : edited;
}

/**
 * Stores the replies, and edits of the request, that no event delivered. Returns how many were written long
 * ago.
 */
async function takeIn(
  tools: SlackTools,
  tx: Transaction,
  job: Job,
  messages: readonly ThreadMessage[],
  workspace: Workspace,
): Promise<number> {
  const context = tools.newContext();
  let oldReplies = 0;
  for (const message of messages) {
    const rewritten = requestIn(job, message, workspace, tools);
    if (rewritten !== null) await applyEvent(tx, job.id, rewritten, context);
    const found = replyOf(message, workspace.botUserId);
    if (found === null || isBeforeJob(job, message.ts)) continue;
    if (isTooOld(Number(message.ts), context.nowMs)) continue;
    const { reply } = found;
    if (!(await tx.inboundRequests.remember(messageKeys(job.teamId, message), context.nowMs))) {
      if (reply.editedTs !== null) await applyEvent(tx, job.id, { type: 'reply_edited', reply }, context);
      continue;
    }
    await applyEvent(tx, job.id, { type: 'reply_received', reply }, context);
    if (context.nowMs - Number(message.ts) * 1000 > OLD_AFTER_MS) oldReplies += 1;
  }
  return oldReplies;
}

/** The message that asks, if edited; else null. It is its thread's root. */
function requestIn(
  { requestTs, requesterId, threadTs }: Job,
  message: ThreadMessage,
  { projects, botUserId }: Workspace,
  { promptMaxLength }: SlackTools,
): JobEvent | null {
  const isRequest = message.ts === requestTs && message.ts === threadTs && message.user === requesterId;
  if (!isRequest || requesterId === null || message.edited === undefined || projects === null) return null;
  return rewrittenRequest(message, { userId: requesterId, botUserId, projects, promptMaxLength });
}

/** Without messages of bots, of this program, and of people who may not use it there. */
async function admitted(
  { access, botId, botUserId }: Workspace,
  job: Job,
  messages: readonly ThreadMessage[],
): Promise<ThreadMessage[]> {
  const mayCount = await Promise.all(
    messages.map(async (message) => {
      const author = replyOf(message, botUserId)?.reply.userId;
      if (author === undefined) return true;
      if (message.bot_id === botId) return false;
      if (isPostedByApp(message) && !(await access.isPerson(author, true))) return false;
      return (await access.refusal(author, job.channelId)) === null;
    }),
  );
  return messages.filter((_message, index) => mayCount[index]);
}

/** Slack lets an app read 50 threads a minute and workspace (Tier 3); this leaves room for other reads. */
const FASTEST_MS = 1_500;
/** Slack's strictest limit, one read a minute, for commercial apps outside of its Marketplace. */
const SLOWEST_MS = 60_000;
/**
 * Other calls under the same limit, such as the look for a post, go as soon as Slack allows, before
 * catch-ups.
 */
const AFTER_OTHERS_MS = 3_000;
/** Over a longer time, few reads may only mean that there was little to read. */
const LOGGED_WITHIN_MS = 5 * 60_000;
/** After this many reads without a refusal, the limit may have changed, so a faster pace is tried. */
const FASTER_AFTER = 30;

/**
 * How fast a workspace's threads are read. Slack's limit shows only in its refusals: how many reads, and how
 * much time, lie between two of them.
 */
class ReadThrottle {
  private spacingMs = FASTEST_MS;
  /** When the next read may begin. */
  nextAtMs = 0;
  /** Reads are counted from the end of Slack's last wait. */
  private sinceMs: number | null = null;
  private reads = 0;

  /** Slack allows fewer reads than usual. */
  get isSlow(): boolean {
    return this.spacingMs > FASTEST_MS;
  }

  read(nowMs: number): void {
    this.reads += 1;
    if (this.reads % FASTER_AFTER === 0) this.spacingMs = Math.max(Math.ceil(this.spacingMs / 2), FASTEST_MS);
    this.nextAtMs = nowMs + this.spacingMs + (this.isSlow ? AFTER_OTHERS_MS : 0);
  }

  /** Slack allows no reads until then. */
  refused(untilMs: number): void {
    if (this.sinceMs !== null && untilMs - this.sinceMs < LOGGED_WITHIN_MS) {
      const observedMs = Math.ceil((untilMs - this.sinceMs) / Math.max(this.reads, 1));
      this.spacingMs = Math.min(Math.max(observedMs, FASTEST_MS), SLOWEST_MS);
    }
    this.sinceMs = untilMs;
    this.reads = 0;
    this.nextAtMs = untilMs + AFTER_OTHERS_MS;
  }
}
