import { policyOf } from '../../../engine/apply-event.ts';
import { factsOf } from '../../../engine/tools.ts';
import { type Queue, queueOf } from '../../../jobs/follow-ups/follow-up-queue.ts';
import type { Job } from '../../../jobs/job.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { renderCard } from '../render.ts';
import type { SlackTools } from '../slack-tools.ts';
import { failureOf, refresh } from './refresh.ts';

/** People cannot follow more, and Slack limits the edits of all messages together. */
const CARD_SPACING_MS = 3_000;

interface Card {
  readonly job: Job;
  readonly cardTs: string;
  readonly queue: Queue;
  /** Until when the agent is not asked about the job, which the card says; null: it is. */
  readonly pausedUntilMs: number | null;
}

/** Renders the card from the job as it is now, and replaces it in place. */
export const refreshCard = refresh<Card>({
  load: (tools, task) => tools.store.transaction((tx) => loadCard(tools, tx, task)),
  show: async (tools, { job, cardTs, queue, pausedUntilMs }, attempt) => {
    if (pausedUntilMs !== null) attempt.repeatAt(pausedUntilMs);
    tools.showChanged(job);
    const workspace = await tools.workspaces.of(job.teamId);
    const card = await renderCard(tools, workspace, job, queue);
    const failure = await failureOf(
      () => workspace.poster.update(job.channelId, cardTs, card),
      (reason) => tools.log.warn('card_not_refreshed', { ...factsOf(job), reason }),
    );
    // Slack may have edited it at any time until now.
    attempt.note((tx, { nowMs }) => tx.jobs.cardDrawn(job.id, nowMs));
    return failure;
  },
});

/** Null if there is none, or it was edited a moment ago: then not yet. */
async function loadCard(tools: SlackTools, tx: Transaction, task: ClaimedTask): Promise<Card | null> {
  const state = await tx.jobs.shown(task.subject);
  if (state === null || state.job.cardTs === null) {
    await tx.tasks.complete(task.lease);
    return null;
  }
  const { cardDrawnAtMs: lastMs } = state;
  const nowMs = tools.clock.now();
  // The clock of another replica may be a bit fast. Further ahead, it is our clock that was set back.
  if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
    await tx.tasks.delayUntil(task.lease, lastMs + CARD_SPACING_MS);
    return null;
  }
  const policy = policyOf(state, tools.newContext());
  const [job = state.job] = await tx.readBudget.shown([state.job], nowMs);
  const pausedUntilMs = job === state.job ? null : (job.trouble?.retryAtMs ?? null);
  return { job, cardTs: state.job.cardTs, queue: queueOf(state, policy, nowMs), pausedUntilMs };
}
