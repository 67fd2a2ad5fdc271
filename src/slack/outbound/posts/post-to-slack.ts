import { factsOf } from '../../../engine/job-facts.ts';
import { leave } from '../../../engine/leave.ts';
import { SEND_WITHIN_MS } from '../../../engine/runtime/send-limit.ts';
import type { ClaimedTask, LedgerCall } from '../../../store/store.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { SlackCallError, type SlackFailure, tooLate } from '../../workspace/web-api/failure.ts';
import type { DuePost } from './due-post.ts';
import { FIRST_LOOK_AFTER_MS, lookForPost } from './look-for-post.ts';
import { type Destination, destinationOf, renderPost } from './render-post.ts';
import {
  defer,
  dropped,
  type PostTools,
  posted,
  refused,
  retryLater,
  type SlackCall,
} from './settle-post.ts';
import { HELD_FOR_MS } from './slack-retry.ts';

/** Slack takes a `response_url` for half an hour. */
const RESPONSE_URL_LIFE_MS = 30 * 60_000;
/** Later, the person has turned to something else. */
const WHISPER_TRIED_FOR_MS = 60_000;

/** Makes the posts of one lane in their order, each once: what is unclear is looked for before it is repeated. */
export async function postToSlack(tools: PostTools, task: ClaimedTask): Promise<void> {
  let due = await tools.posts.next(task);
  while (due !== null) {
    if (tools.stopping.aborted) return leave(tools, task);
    const call = { ...due, workspace: await tools.workspaces.of(due.job.teamId) };
    due = due.call.state === 'started' ? await lookForPost(tools, task, call) : await post(tools, task, call);
  }
}

/** Returns what is next in the lane; null if nothing is, or if the lane has to wait. */
async function post(tools: PostTools, task: ClaimedTask, due: SlackCall): Promise<DuePost | null> {
  const { call: wanted, job, workspace } = due;
  const { stage } = job;
  // The card was refused: there is no thread, and in the channel nobody would know what it is about.
  if (wanted.request.kind === 'announce' && stage.kind === 'unopened')
    return refused(tools, task, wanted, stage.reason);
  const message = await renderPost(tools, due);
  const startedAtMs = await tools.posts.start({ task, callId: wanted.id });
  const call: LedgerCall = { ...wanted, state: 'started', startedAtMs };
  const facts = { call_id: call.id, call: call.request.kind, ...factsOf(job) };
  const destination = destinationOf(job, call.request);
  try {
    if (tools.clock.now() > startedAtMs + SEND_WITHIN_MS) throw tooLate('chat.postMessage');
    const ts =
      destination === null
        ? await tell(tools, due, message)
        : await workspace.poster.post({ ...destination, callId: call.id, message });
    const nowMs = tools.clock.now();
    const times = { duration_ms: nowMs - startedAtMs, lag_ms: nowMs - call.wantedAtMs };
    tools.log.info('posted', { ...facts, outcome: 'done', ...times });
    return await posted(tools, task, call, ts);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    const durationMs = tools.clock.now() - startedAtMs;
    tools.log.warn('posted', {
      ...facts,
      outcome: failure.outcome,
      reason: failure.code,
      duration_ms: durationMs,
    });
    if (failure.needsAdmin) tools.log.error('slack_needs_admin', { ...facts, reason: failure.code });
    return await notPosted(tools, task, call, destination, failure);
  }
}

async function tell(
  { clock }: PostTools,
  { call: { request }, job, workspace: { poster } }: SlackCall,
  message: SlackMessage,
): Promise<string> {
  const { channelId, threadTs } = job;
  if (request.kind === 'whisper') {
    await poster.whisper({ channelId, threadTs, userId: request.userId }, message);
    return '';
  }
  if ('about' in request && request.about === 'asked_before') {
    await poster.whisperOrTell({ channelId, threadTs: null, userId: job.requesterId }, message);
    return '';
  }
  const isFresh = clock.now() - job.requestedAtMs < RESPONSE_URL_LIFE_MS;
  await poster.tell(job.requesterId, isFresh ? job.responseUrl : null, message);
  return '';
}

function notPosted(
  tools: PostTools,
  task: ClaimedTask,
  call: LedgerCall,
  destination: Destination | null,
  failure: SlackFailure,
): Promise<DuePost | null> {
  switch (failure.outcome) {
    case 'refused':
      return refused(tools, task, call, failure.code);
    case 'retry':
      return isTriedForLong(call, failure, tools.clock.now())
        ? refused(tools, task, call, failure.code)
        : retryLater(tools, task, call, failure);
    case 'unknown':
      if (call.request.kind === 'whisper') return dropped(tools, task, call, failure.code);
      // A private answer cannot be looked for. Told twice, it does less harm than a request that ends in silence.
      if (destination === null) return retryLater(tools, task, call, failure);
      return defer(tools, task, tools.clock.now() + FIRST_LOOK_AFTER_MS);
  }
}

function isTriedForLong(call: LedgerCall, { isPassing }: SlackFailure, nowMs: number): boolean {
  if (call.request.kind === 'whisper') return nowMs - call.wantedAtMs > WHISPER_TRIED_FOR_MS;
  return isPassing && call.heldSinceMs !== null && nowMs - call.heldSinceMs > HELD_FOR_MS;
}
