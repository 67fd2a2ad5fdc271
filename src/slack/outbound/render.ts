import { policyOf } from '../../engine/apply-event.ts';
import { type EngineTools, factsOf, sitesOf } from '../../engine/tools.ts';
import { type Queue, queueOf } from '../../jobs/follow-ups/follow-up-queue.ts';
import { type Job, requestersOf } from '../../jobs/job.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import { threadLink as threadLinkOf } from '../protocol/links.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { isDirectMessage } from '../views/parts/mrkdwn.ts';
import { cardView } from '../views/thread/card.ts';
import { noticeView, privateNoticeView } from '../views/thread/notice.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { failureOf, refresh } from './refresh/refresh.ts';
import type { SlackTools } from './slack-tools.ts';

/** The card in its current state, with the names of the people on it. */
export async function renderCard(
  tools: Pick<EngineTools, 'newContext'>,
  { names }: Workspace,
  job: Job,
  queue: Queue,
): Promise<SlackMessage> {
  return cardView(job, {
    queue,
    names: await names.named([...requestersOf(job), ...dismissersOf(job), ...mentionedIds(job.prompt)]),
    sites: sitesOf(tools),
  });
}

function dismissersOf({ stage }: Job): string[] {
  return stage.kind === 'dropped' && stage.byUserId !== null ? [stage.byUserId] : [];
}

/** A notice in its current state. @param isPublic from `mayShowJob` */
export async function renderNotice(
  tools: Pick<EngineTools, 'newContext'>,
  workspace: Workspace,
  job: Job,
  url: string,
  isPublic: boolean,
): Promise<SlackMessage> {
  if (!isPublic) return privateNoticeView(job, url, sitesOf(tools));
  const names = await workspace.names.named([...requestersOf(job), ...mentionedIds(job.prompt)]);
  return noticeView(job, url, await threadLink(workspace, job), names, sitesOf(tools));
}

/** Whether a notice channel's readers may read the prompt. Throws SlackCallError if Slack does not say. */
export async function mayShowJob(
  { poster }: Workspace,
  { channelId }: Job,
  noticeChannelId: string,
): Promise<boolean> {
  if (channelId === noticeChannelId) return true;
  return !isDirectMessage(channelId) && poster.isPublic(channelId);
}

/** A notice without the link is better than none. Slack is asked only if the link cannot be built here. */
export async function threadLink(
  { poster, workspaceUrl }: Workspace,
  { channelId, threadTs }: Job,
): Promise<string | null> {
  if (threadTs === null) return null;
  return threadLinkOf(workspaceUrl, channelId, threadTs) ?? poster.permalinkIfAny(channelId, threadTs);
}

/** People cannot follow faster edits, and Slack limits those of all messages together. */
const CARD_SPACING_MS = 3_000;

interface Card {
  readonly job: Job;
  readonly cardTs: string;
  readonly queue: Queue;
  /** Until when the agent is not asked about the job, as the card says; null: it is. */
  readonly pausedUntilMs: number | null;
}

/** Renders the card of the current job, and replaces it in place. */
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

/** Null: there is none, or it was edited a moment ago and waits. */
async function loadCard(tools: SlackTools, tx: Transaction, task: ClaimedTask): Promise<Card | null> {
  const state = await tx.jobs.shown(task.subject);
  if (state === null || state.job.cardTs === null) {
    await tx.tasks.complete(task.lease);
    return null;
  }
  const { cardDrawnAtMs: lastMs } = state;
  const nowMs = tools.clock.now();
  // Another replica's clock may be a bit fast. If it is further ahead, ours was set back.
  if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
    await tx.tasks.delayUntil(task.lease, lastMs + CARD_SPACING_MS);
    return null;
  }
  const policy = policyOf(state, tools.newContext());
  const [job = state.job] = await tx.readBudget.shown([state.job], nowMs);
  const pausedUntilMs = job === state.job ? null : (job.trouble?.retryAtMs ?? null);
  return { job, cardTs: state.job.cardTs, queue: queueOf(state, policy, nowMs), pausedUntilMs };
}
