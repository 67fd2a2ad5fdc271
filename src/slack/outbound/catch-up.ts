import { applyEvent, factsOf } from '#engine/apply-event.ts';
import type { JobState } from '#jobs/decide/decision-builder.ts';
import { isBeforeJob, type Job } from '#jobs/job.ts';
import type { ReadSnippet } from '#jobs/requests/attachments.ts';
import { retryDelayMs } from '#jobs/schedule/schedule.ts';
import { type Clock, periodically } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import type { LiveThreads } from '#store/queries/catch-ups.ts';
import { type ClaimedTask, LeaseLostError, type Store, type Transaction } from '#store/store.ts';
import {
  CLOCK_SKEW_MS,
  isPostedByApp,
  isTooOld,
  type MessageEvent,
  messageKeys,
  replyOf,
  rewrittenRequest,
} from '../messages/message-event.ts';
import { INVALID_CURSOR } from '../protocol/error-codes.ts';
import { escapeMrkdwn, sanitize } from '../protocol/slack-text.ts';
import { failureIn, SlackCallError, type SlackFailure } from '../workspace/caller.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type SlackTools, slackRetryMs } from './refresh.ts';

/** Older replies are announced. */
const OLD_AFTER_MS = 10 * 60_000;
/** Reading starts this long before the last seen message, which may have been edited since. */
const EDITED_WITHIN_S = 3_600;
/** Each replica sweeps on its own schedule. */
const SWEEP_NOT_BEFORE_MS = 10 * 60_000;
/** Some hours. The next start or sign retries. */
const MAX_FAILURES = 50;
const HOPELESS_FOR_MS = 86_400_000;
/** Reads other threads first, as Slack may refuse again. */
const RESTARTED_AFTER_MS = 5 * 60_000;

export function catchUps(tools: SlackTools) {
  const throttles = new Map<string, ReadThrottle>();
  return (task: ClaimedTask) => {
    const throttle = throttles.get(task.subject) ?? new ReadThrottle();
    throttles.set(task.subject, throttle);
    return readNextPage(tools, throttle, task);
  };
}

async function readNextPage(tools: SlackTools, throttle: ReadThrottle, task: ClaimedTask) {
  const { store, clock, log, promptMaxLength } = tools;
  const { subject, lease } = task;

  async function scheduleNext(tx: Transaction) {
    const nextAtMs = await tx.catchUps.nextAtMs(subject);
    if (nextAtMs === null) await tx.tasks.complete(lease);
    else await tx.tasks.delayUntil(lease, Math.max(nextAtMs, throttle.nextAtMs));
  }

  const thread = await store.transaction(async (tx) => {
    const nowMs = clock.now();
    const next = nowMs < throttle.nextAtMs ? null : await tx.catchUps.next(subject, nowMs);
    const threadTs = next?.job.threadTs ?? null;
    if (next !== null && threadTs !== null) return { ...next, threadTs };
    if (next !== null) await tx.catchUps.drop(next.jobId);
    await scheduleNext(tx);
    return null;
  });
  if (thread === null) return;
  const { job, threadTs, cursor, failures } = thread;
  const { teamId, channelId } = job;
  const { poster, access, botId, botUserId, projects } = await tools.workspaces.of(teamId);
  // A workspace that is not set up has no agent; the next start plans its reads again.
  if (projects === null) return store.transaction((tx) => tx.tasks.complete(lease));

  /** Skips old edits in sweeps, and while reads are scarce. */
  const startTs = () => {
    const { seenTs, unsentTs, isSweep } = thread;
    if (seenTs === null || !(throttle.isSlow || isSweep)) return job.repliesAfterTs ?? threadTs;
    const edited = (Number(seenTs) - EDITED_WITHIN_S).toFixed(6);
    return unsentTs !== null && unsentTs < edited ? unsentTs : edited;
  };

  /** Not those of bots, this program and people without access. */
  const isAdmitted = async (message: MessageEvent) => {
    const author = replyOf(message, botUserId)?.reply.userId;
    if (author === undefined) return true;
    if (message.bot_id === botId) return false;
    if (isPostedByApp(message) && !(await access.isPerson(author, true))) return false;
    return (await access.refusal(author, channelId)) === null;
  };

  /** Returns how many replies are old. */
  const storeMessages = async (tx: Transaction, messages: readonly MessageEvent[]) => {
    const context = tools.newContext();
    const { requestTs, requesterId: userId } = job;
    let oldReplies = 0;
    for (const message of messages) {
      const isRequest = message.ts === requestTs && message.ts === threadTs && message.user === userId;
      if (isRequest && message.edited !== undefined) {
        const event = rewrittenRequest(message, { userId, botUserId, projects, promptMaxLength });
        if (event !== null) await applyEvent(tx, job.id, event, context);
      }
      const reply = replyOf(message, botUserId)?.reply;
      if (reply === undefined || isBeforeJob(job, message.ts)) continue;
      if (isTooOld(Number(message.ts), context.nowMs)) continue;
      if (await tx.inboundRequests.remember(messageKeys(teamId, message), context.nowMs)) {
        await applyEvent(tx, job.id, { type: 'reply_received', reply }, context);
        if (context.nowMs - Number(message.ts) * 1000 > OLD_AFTER_MS) oldReplies += 1;
      } else if (reply.editedTs !== null) {
        await applyEvent(tx, job.id, { type: 'reply_edited', reply }, context);
      }
    }
    return oldReplies;
  };

  /** @param failure null: the thread was read but not processed */
  const postpone = async (tx: Transaction, failure: SlackFailure | null, nowMs: number) => {
    if (failure?.code === INVALID_CURSOR && cursor !== null) {
      return tx.catchUps.dropCursor(job.id, nowMs + RESTARTED_AFTER_MS);
    }
    // After a rate limit, this thread is next.
    if (failure !== null && failure.retryAfterMs !== null) return;
    // Channel or thread is gone, or the bot has left.
    return failure?.outcome === 'refused' || failures >= MAX_FAILURES
      ? tx.catchUps.giveUp(job.id, nowMs + HOPELESS_FOR_MS, nowMs)
      : tx.catchUps.retryAt(job.id, nowMs + retryDelayMs(failures + 1, Math.random()));
  };

  try {
    const oldestTs = thread.oldestTs ?? startTs();
    const page = await poster.threadPage(channelId, threadTs, { cursor, oldestTs });
    throttle.read(clock.now());
    const areAdmitted = await Promise.all(page.messages.map(isAdmitted));
    const messages = page.messages.filter((_, index) => areAdmitted[index]);
    await store.transaction(async (tx) => {
      await tx.tasks.fence(lease);
      const nowMs = clock.now();
      const oldReplies = thread.oldReplies + (await storeMessages(tx, messages));
      const seenTs = [thread.seenTs ?? '', ...page.messages.map(({ ts }) => ts)].sort().at(-1) ?? null;
      const sweepFromMs = nowMs + SWEEP_NOT_BEFORE_MS;
      const read = { seenTs, oldestTs, cursor: page.cursor, oldReplies, sweepFromMs };
      await tx.catchUps.pageRead(thread, read, nowMs);
      if (page.cursor === null && oldReplies > 0) {
        await applyEvent(tx, job.id, { type: 'old_replies_found', count: oldReplies }, tools.newContext());
      }
      await scheduleNext(tx);
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
      await tx.tasks.fence(lease);
      // Other threads of the workspace would fail, too.
      if (failure?.needsAdmin) return tx.tasks.retryAt(lease, nowMs + slackRetryMs(task, failure));
      await postpone(tx, failure, nowMs);
      await scheduleNext(tx);
    });
  }
}

/** Slack allows 50 a minute and workspace (Tier 3), including other reads. */
const FASTEST_MS = 1_500;
/** Slack's strictest limit, for commercial apps outside its Marketplace. */
const SLOWEST_MS = 60_000;
/** Lets other calls under the same limit go first. */
const AFTER_OTHERS_MS = 3_000;
/** Over longer times, few reads may just mean little to read. */
const MEASURED_WITHIN_MS = 5 * 60_000;
/** Successful reads before a faster pace. */
const FASTER_AFTER = 30;

/** Slack's limit shows only in refusals. */
class ReadThrottle {
  private spacingMs = FASTEST_MS;
  nextAtMs = 0;
  private sinceMs: number | null = null;
  private reads = 0;

  get isSlow(): boolean {
    return this.spacingMs > FASTEST_MS;
  }

  read(nowMs: number): void {
    this.reads += 1;
    if (this.reads % FASTER_AFTER === 0) this.spacingMs = Math.max(Math.ceil(this.spacingMs / 2), FASTEST_MS);
    this.nextAtMs = nowMs + this.spacingMs + (this.isSlow ? AFTER_OTHERS_MS : 0);
  }

  refused(untilMs: number): void {
    if (this.sinceMs !== null && untilMs - this.sinceMs < MEASURED_WITHIN_MS) {
      const observedMs = Math.ceil((untilMs - this.sinceMs) / Math.max(this.reads, 1));
      this.spacingMs = Math.min(Math.max(observedMs, FASTEST_MS), SLOWEST_MS);
    }
    this.sinceMs = untilMs;
    this.reads = 0;
    this.nextAtMs = untilMs + AFTER_OTHERS_MS;
  }
}

const SIGNS = 'signs';
const RETRY_MS = 1_000;
const SIGNS_EVERY_MS = 60_000;
/** Skips ended jobs requested earlier. */
const LIVE_FOR_MS = 14 * 86_400_000;
/** Per workspace. Takes 15 minutes at Slack's usual limit. */
const MAX_THREADS = 500;
const SWEEP_EVERY_MS = 15 * 60_000;
const SWEPT_FOR_MS = 86_400_000;

export function missedReplies(store: Store, clock: Clock, log: Logger) {
  /** For signs, and per delayed workspace. */
  const planned = new Map<string, () => void>();
  let lastSignsAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  async function request(threads: Partial<LiveThreads>) {
    const nowMs = clock.now();
    const all = { teamId: null, sinceMs: nowMs - LIVE_FOR_MS, limit: MAX_THREADS, nowMs, fromMs: nowMs };
    const live = { ...all, isSweep: false, ...threads };
    const counts = await store.transaction((tx) => tx.catchUps.requestLive(live));
    const level = live.isSweep ? 'debug' : 'info';
    for (const [teamId, threads] of counts) log[level]('catch_up_planned', { team_id: teamId, threads });
  }

  const logError = (error: unknown) => log.error('catch_up_not_scheduled', { error });

  function cancel(key: string) {
    planned.get(key)?.();
    planned.delete(key);
  }

  function requestAt(atMs: number, key: string, teamId: string | null) {
    cancel(key);
    if (isStopped) return;
    const run = () => void requestNow(key, teamId);
    planned.set(key, clock.at(atMs, run));
  }

  async function requestNow(key: string, teamId: string | null) {
    cancel(key);
    if (key === SIGNS) lastSignsAtMs = clock.now();
    try {
      await request({ teamId });
    } catch (error) {
      logError(error);
      if (!planned.has(key)) requestAt(clock.now() + RETRY_MS, key, teamId);
    }
  }

  const sweeps = periodically(clock, SWEEP_EVERY_MS, async () => {
    await request({ isSweep: true, sinceMs: clock.now() - SWEPT_FOR_MS }).catch(logError);
  });

  return {
    /** Retries until the store works. */
    lookFor: () => void requestNow(SIGNS, null),
    /** At most once a minute. */
    lookForSoon: (): void => {
      if (!planned.has(SIGNS)) requestAt(Math.max(clock.now(), lastSignsAtMs + SIGNS_EVERY_MS), SIGNS, null);
    },
    /** Slack drops the workspace's events until then. @param teamId null: unknown */
    heldBack: async (teamId: string | null, untilMs: number): Promise<void> => {
      // `untilMs` is by Slack's clock.
      const fromMs = Math.max(clock.now(), untilMs + CLOCK_SKEW_MS);
      await request({ teamId, fromMs });
      // An earlier plan may run too early.
      requestAt(fromMs, `held back ${teamId}`, teamId);
    },
    sweep: sweeps.start,
    stop: (): void => {
      isStopped = true;
      void sweeps.stop();
      for (const key of planned.keys()) cancel(key);
    },
  };
}

/** Without the bot in the channel, Slack reports no edits or deletions. */
export async function rereadRequest(
  { store, log, promptMaxLength, newContext }: SlackTools,
  { poster, projects, botUserId }: Workspace,
  job: Job,
): Promise<Job> {
  const { requestTs: messageTs, requesterId: userId, stage, channelId } = job;
  // From a form opened on a thread's message.
  if (messageTs === undefined || userId === null || messageTs !== job.threadTs) return job;
  if (stage.kind !== 'opening') return job;
  const deleted = { type: 'request_deleted', messageTs, userId } as const;
  const read = async () => {
    const start = { oldestTs: messageTs, cursor: null };
    const { messages } = await poster.threadPage(channelId, messageTs, start);
    const message = messages.find(({ ts }) => ts === messageTs);
    if (message?.subtype === 'tombstone') return deleted;
    if (message?.edited === undefined || projects === null) return null;
    return rewrittenRequest(message, { userId, botUserId, projects, promptMaxLength });
  };
  const event = await read().catch((error: unknown) => {
    const { code: reason } = failureIn(error);
    if (reason === 'thread_not_found') return deleted;
    log.warn('request_not_read_again', { channel_id: channelId, reason });
    return null;
  });
  if (event === null) return job;
  return (await store.transaction((tx) => applyEvent(tx, job.id, event, newContext()))).job;
}

/** Then, the reply goes out without the snippet. */
const MAX_TRIES = 5;

export async function readSnippets(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const { store, clock, log, workspaces, promptMaxLength } = tools;
  const { subject, lease, attempts } = task;
  const note = (outcome: string) => log.info('snippet_read', { job_id: subject, outcome });

  function retry(retryAfterMs: number | null) {
    const waitMs = retryAfterMs ?? retryDelayMs(attempts + 1, Math.random());
    return store.transaction((tx) => tx.tasks.retryAt(lease, clock.now() + waitMs));
  }

  for (;;) {
    const state = await store.transaction((tx) => tx.jobs.lock(subject));
    const next = state && nextUnread(state);
    if (state === null || next === null) break;
    const { snippets: reader } = await workspaces.of(state.job.teamId);
    const snippets: ReadSnippet[] = [];
    for (const snippet of next.snippets) {
      const { name } = snippet;
      const reading = reader.read(snippet, promptMaxLength);
      const content = await reading.catch((error: unknown) => failureIn(error) && null);
      // Without a token, the snippets wait.
      if (content === null) return retry(null);
      if ('retryAfterMs' in content) {
        note('failed');
        if (attempts + 1 < MAX_TRIES) return retry(content.retryAfterMs);
        snippets.push({ name, problem: 'unreadable' });
      } else if ('text' in content) {
        note('done');
        snippets.push({ name, ...content, text: escapeMrkdwn(sanitize(content.text)) });
      } else {
        note('problem' in content ? content.problem : 'no_text');
        snippets.push({ name, ...content });
      }
    }
    await store.transaction(async (tx) => {
      await tx.tasks.fence(lease);
      const event = { type: 'snippets_read', messageTs: next.messageTs, snippets } as const;
      await applyEvent(tx, subject, event, tools.newContext());
    });
  }
  await store.transaction((tx) => tx.tasks.complete(lease));
}

function nextUnread({ job, followUps }: JobState) {
  if (job.snippets.length > 0) return { messageTs: null, snippets: job.snippets };
  return followUps.find(({ snippets }) => snippets.length > 0) ?? null;
}
