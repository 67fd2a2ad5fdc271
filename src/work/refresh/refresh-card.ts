import { queueOf } from '../../jobs/queue.ts';
import { SlackCallError } from '../../slack/calls/failure.ts';
import { cardView } from '../../slack/views/card.ts';
import { policyOf } from '../../store/apply-event.ts';
import { type ClaimedTask, LeaseLostError } from '../../store/store.ts';
import { slackRetryMs } from '../posts/slack-retry.ts';
import type { Tools } from '../tools.ts';
import type { Pace } from './pace.ts';

/** People cannot follow more, and Slack limits the edits of all messages together. */
export const CARD_SPACING_MS = 3_000;

/** Renders the card from the job as it is now, and replaces it in place. Harmless to repeat. */
export async function refreshCard(tools: Tools, pace: Pace, task: ClaimedTask): Promise<void> {
  const nowMs = tools.clock.now();
  const waitMs = pace.take(task.subject, nowMs);
  if (waitMs > 0) {
    await tools.store.transaction((tx) => tx.tasks.postpone(task.lease, nowMs + waitMs));
    return;
  }
  try {
    await draw(tools, task);
  } catch (error) {
    // Who took the task over may have drawn a later card before this one arrived, and replaced it.
    if (error instanceof LeaseLostError) {
      const again = { kind: 'refresh_card', subject: task.subject, runAtMs: tools.clock.now() } as const;
      await tools.store.transaction((tx) => tx.tasks.schedule({ ...again, ifScheduled: 'replace' }));
    }
    throw error;
  }
}

async function draw(tools: Tools, task: ClaimedTask): Promise<void> {
  const found = await tools.store.transaction(async (tx) => {
    const state = await tx.jobs.lock(task.subject);
    return state && { state, policy: await policyOf(tx, state.job, tools.newContext()) };
  });
  const job = found?.state.job;
  if (found === null || job?.cardTs == null) {
    await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
    return;
  }
  const names = await tools.names.of(job.prompt);
  try {
    const queue = queueOf(found.state, found.policy, tools.clock.now());
    const card = cardView(job, queue, names, found.policy.followUpMode);
    await tools.poster.update(job.channelId, job.cardTs, card);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { failure } = error;
    tools.log.warn('card_not_refreshed', { job_id: job.id, reason: failure.code });
    if (failure.outcome !== 'refused') {
      const waitMs = slackRetryMs(task, failure);
      await tools.store.transaction((tx) => tx.tasks.postpone(task.lease, tools.clock.now() + waitMs));
      return;
    }
  }
  await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
}
