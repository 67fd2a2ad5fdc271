import type { CallRequest } from '../jobs/call.ts';
import type { JobEvent } from '../jobs/event.ts';
import type { Job } from '../jobs/job.ts';
import { SEND_WITHIN_MS } from '../operations/send-limit.ts';
import { SlackCallError, type SlackFailure, tooLate } from '../slack/failure.ts';
import { applyEvent } from '../store/apply-event.ts';
import type { CallOutcome, ClaimedTask, LedgerCall } from '../store/store.ts';
import { scheduleCatchUp } from './catch-up.ts';
import { type Destination, destinationOf, renderPost } from './render-post.ts';
import { slackRetryMs } from './slack-retry.ts';
import type { Tools } from './tools.ts';

/** When an unclear post is looked for first, counted from its start: Slack may still be storing it. */
const FIRST_LOOK_AFTER_MS = 2_000;
/**
 * Only then is a post that is not there surely absent: a process that was frozen sends it within `SEND_WITHIN_MS`
 * of its start or not at all, and Slack is given ten seconds to store it.
 */
const ABSENT_AFTER_MS = 15_000;
/** Slack takes a `response_url` for half an hour. */
const RESPONSE_URL_LIFE_MS = 30 * 60_000;

interface SlackCall {
  readonly call: LedgerCall;
  readonly job: Job;
}

/** Makes the posts of one lane in their order, each once: what is unclear is looked for before it is repeated. */
export async function postToSlack(tools: Tools, task: ClaimedTask): Promise<void> {
  for (;;) {
    const next = await nextCall(tools, task);
    if (next === null) return;
    const goesOn =
      next.call.state === 'started' ? await lookFor(tools, task, next) : await post(tools, task, next);
    if (!goesOn) return;
  }
}

async function nextCall(tools: Tools, task: ClaimedTask): Promise<SlackCall | null> {
  return tools.store.transaction(async (tx) => {
    const call = await tx.calls.next(task.subject);
    if (call === null) {
      await tx.tasks.complete(task.lease);
      return null;
    }
    const job = await tx.jobs.get(call.jobId);
    if (job === null) throw new Error(`Call ${call.id} has no job`);
    return { call, job };
  });
}

async function post(tools: Tools, task: ClaimedTask, { call, job }: SlackCall): Promise<boolean> {
  const message = await renderPost(tools, job, call.request);
  const startedAtMs = tools.clock.now();
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    await tx.calls.start(call.id, startedAtMs);
  });
  const facts = { call_id: call.id, call: call.request.kind, job_id: job.id };
  const destination = destinationOf(job, call.request);
  try {
    if (tools.clock.now() > startedAtMs + SEND_WITHIN_MS) throw tooLate('chat.postMessage');
    const ts =
      destination === null
        ? await tell(tools, job, message)
        : await tools.poster.post({ ...destination, callId: call.id, message });
    tools.log.info('posted', { ...facts, outcome: 'done', duration_ms: tools.clock.now() - startedAtMs });
    return await done(tools, task, call, ts);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    tools.log.warn('posted', { ...facts, outcome: failure.outcome, reason: failure.code });
    if (failure.needsAdmin) tools.log.error('slack_needs_admin', { reason: failure.code });
    return await notPosted(tools, task, call, destination, failure);
  }
}

async function tell(
  tools: Tools,
  job: Job,
  message: Awaited<ReturnType<typeof renderPost>>,
): Promise<string> {
  const isFresh = tools.clock.now() - job.requestedAtMs < RESPONSE_URL_LIFE_MS;
  await tools.poster.tell(job.requesterId, isFresh ? job.responseUrl : null, message);
  return '';
}

async function notPosted(
  tools: Tools,
  task: ClaimedTask,
  call: LedgerCall,
  destination: Destination | null,
  failure: SlackFailure,
): Promise<boolean> {
  switch (failure.outcome) {
    case 'refused':
      return settle(
        tools,
        task,
        call,
        { state: 'failed', detail: failure.code },
        refusal(call, failure.code),
      );
    case 'retry': {
      const isDelayed = failure.needsAdmin && call.request.kind === 'post_card';
      const event: JobEvent | null = isDelayed ? { type: 'card_delayed', reason: failure.code } : null;
      return retryLater(tools, task, call, failure, event);
    }
    case 'unknown':
      // A private answer cannot be looked for. Told twice, it does less harm than a request that ends in silence.
      if (destination === null) return retryLater(tools, task, call, failure, null);
      await postpone(tools, task, tools.clock.now() + FIRST_LOOK_AFTER_MS);
      return false;
  }
}

/** The call was started, and what became of it is not known: adopts the post, or makes it wanted again. */
async function lookFor(tools: Tools, task: ClaimedTask, { call, job }: SlackCall): Promise<boolean> {
  const destination = destinationOf(job, call.request);
  const again: CallOutcome = { state: 'retry', detail: 'not found in Slack' };
  if (destination === null) return settle(tools, task, call, again, null);
  const sinceMs = call.startedAtMs ?? call.wantedAtMs;
  const nowMs = tools.clock.now();
  const firstLookMs = sinceMs + FIRST_LOOK_AFTER_MS;
  const absentMs = sinceMs + ABSENT_AFTER_MS;
  if (nowMs < firstLookMs) {
    // After a crash, the next process may be here before the post of the one that died is at Slack.
    await postpone(tools, task, firstLookMs);
    return false;
  }
  try {
    const ts = await tools.poster.find({ ...destination, callId: call.id }, sinceMs);
    tools.log.info('post_looked_for', {
      call_id: call.id,
      job_id: job.id,
      outcome: ts ? 'adopted' : 'absent',
    });
    if (ts === null && nowMs < absentMs) {
      await postpone(tools, task, absentMs);
      return false;
    }
    if (ts === null) return settle(tools, task, call, again, null);
    await done(tools, task, call, ts);
    // If it is the card: its thread was not known until now, so replies in it were not taken for follow-ups.
    await tools.store.transaction((tx) => scheduleCatchUp(tx, job.id, tools.clock.now()));
    return true;
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    // Only a post that was refused leaves no way to look: the channel is gone for reading and for writing.
    if (error.failure.outcome === 'refused') {
      const { code } = error.failure;
      return settle(tools, task, call, { state: 'failed', detail: code }, refusal(call, code));
    }
    await postpone(tools, task, tools.clock.now() + slackRetryMs(task, error.failure));
    return false;
  }
}

function done(tools: Tools, task: ClaimedTask, call: LedgerCall, ts: string): Promise<boolean> {
  const event: JobEvent | null = call.request.kind === 'post_card' ? { type: 'card_posted', ts } : null;
  return settle(tools, task, call, { state: 'done', detail: ts }, event);
}

async function settle(
  tools: Tools,
  task: ClaimedTask,
  call: LedgerCall,
  outcome: CallOutcome,
  event: JobEvent | null,
): Promise<boolean> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    if (event !== null) await applyEvent(tx, call.jobId, event, context);
    await tx.calls.settle(call.id, outcome, context.nowMs);
  });
  return true;
}

async function retryLater(
  tools: Tools,
  task: ClaimedTask,
  call: LedgerCall,
  failure: SlackFailure,
  event: JobEvent | null,
): Promise<boolean> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    const { nowMs } = context;
    if (event !== null) await applyEvent(tx, call.jobId, event, context);
    await tx.calls.settle(call.id, { state: 'retry', detail: failure.code }, nowMs);
    await tx.tasks.postpone(task.lease, nowMs + slackRetryMs(task, failure));
  });
  return false;
}

function postpone(tools: Tools, task: ClaimedTask, runAtMs: number): Promise<void> {
  return tools.store.transaction((tx) => tx.tasks.postpone(task.lease, runAtMs));
}

/** What a refused post means for its job. */
function refusal(call: LedgerCall, reason: string): JobEvent | null {
  const request: CallRequest = call.request;
  if (request.kind === 'post_card') return { type: 'card_refused', reason };
  if (request.kind === 'notify_channel') {
    return { type: 'notice_refused', channelId: request.channelId, reason };
  }
  if (request.kind === 'announce') {
    return { type: 'post_refused', callId: call.id, announcement: request.announcement, reason };
  }
  return null;
}
