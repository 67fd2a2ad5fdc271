import type { FollowUpMode } from '../../jobs/channel-settings.ts';
import type { Job } from '../../jobs/job.ts';
import { type Queue, queueOf } from '../../jobs/queue.ts';
import { SlackCallError } from '../../slack/calls/failure.ts';
import { cardView } from '../../slack/views/thread/card.ts';
import { policyOf } from '../../store/apply-event.ts';
import { withLastCheck } from '../../store/last-check.ts';
import { type ClaimedTask, LeaseLostError, type Transaction } from '../../store/store.ts';
import { factsOf } from '../job-facts.ts';
import { isHopeless, slackRetryMs } from '../posts/slack-retry.ts';
import type { Tools } from '../tools.ts';

/** People cannot follow more, and Slack limits the edits of all messages together. */
const CARD_SPACING_MS = 3_000;

/** Renders the card from the job as it is now, and replaces it in place. Harmless to repeat. */
export async function refreshCard(tools: Tools, task: ClaimedTask): Promise<void> {
  const { store, clock } = tools;
  const drawing = await store.transaction((tx) => startDrawing(tools, tx, task));
  if (drawing === null) return;
  try {
    await draw(tools, task, drawing);
  } catch (error) {
    // Who took the task over may have drawn a later card before this one arrived, and replaced it.
    if (error instanceof LeaseLostError) {
      const again = { kind: 'refresh_card', subject: task.subject, runAtMs: clock.now() } as const;
      await store.transaction((tx) => tx.tasks.schedule({ ...again, ifScheduled: 'replace' }));
    }
    throw error;
  }
}

interface Drawing {
  readonly job: Job;
  readonly cardTs: string;
  readonly queue: Queue;
  readonly mode: FollowUpMode;
}

/** Records that the card is edited now. Null if there is none, or it was edited a moment ago: then not yet. */
async function startDrawing(tools: Tools, tx: Transaction, task: ClaimedTask): Promise<Drawing | null> {
  await tx.tasks.fence(task.lease);
  const state = await tx.jobs.lock(task.subject);
  if (state === null || state.job.cardTs === null) {
    await tx.tasks.complete(task.lease);
    return null;
  }
  const job = await withLastCheck(tx, state.job);
  const nowMs = tools.clock.now();
  const lastMs = await tx.jobs.cardDrawnAtMs(job.id);
  // The clock of another replica may be a bit fast. Further ahead, it is our clock that was set back.
  if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
    await tx.tasks.defer(task.lease, lastMs + CARD_SPACING_MS);
    return null;
  }
  await tx.jobs.cardDrawn(job.id, nowMs);
  const policy = await policyOf(tx, job, tools.newContext());
  return { job, cardTs: state.job.cardTs, queue: queueOf(state, policy, nowMs), mode: policy.followUpMode };
}

async function draw(
  { store, clock, log, workspaces }: Tools,
  task: ClaimedTask,
  { job, cardTs, queue, mode }: Drawing,
): Promise<void> {
  const { poster, names } = await workspaces.of(job.teamId);
  const card = cardView(job, queue, await names.of(job.prompt), mode);
  try {
    await poster.update(job.channelId, cardTs, card);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    log.warn('card_not_refreshed', { ...factsOf(job), reason: failure.code });
    if (!isHopeless(task, failure)) {
      const waitMs = slackRetryMs(task, failure);
      await store.transaction((tx) => tx.tasks.postpone(task.lease, clock.now() + waitMs));
      return;
    }
  }
  await store.transaction(async (tx) => {
    // Slack may have edited it at any time until now.
    await tx.jobs.cardDrawn(job.id, clock.now());
    await tx.tasks.complete(task.lease);
  });
}
