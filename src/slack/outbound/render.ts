import { factsOf, policyOf, sitesOf } from '../../engine/apply-event.ts';
import type { DueCall } from '../../engine/run-lane.ts';
import type { CallRequest } from '../../jobs/call.ts';
import { emptyQueue, type Queue, queueOf } from '../../jobs/follow-ups/follow-up-queue.ts';
import { turnsOf } from '../../jobs/follow-ups/turns.ts';
import { type Job, requestersOf } from '../../jobs/job.ts';
import type { FollowUpMode } from '../../jobs/policy.ts';
import { threadLink as threadLinkOf } from '../protocol/links.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { questionView } from '../views/forms/question.ts';
import { helpView } from '../views/help.ts';
import { JOBS_PER_PAGE, listView, messageOfJob, type Reader } from '../views/list.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { isDirectMessage } from '../views/parts/mrkdwn.ts';
import { pausedView } from '../views/recipes.ts';
import { statusView } from '../views/status.ts';
import { cardView } from '../views/thread/actions.ts';
import { announcementView } from '../views/thread/announcement.ts';
import { draftRefusedView, namedInDraft } from '../views/thread/draft.ts';
import { withSendButton } from '../views/thread/not-for-agent.ts';
import {
  delayedView,
  ephemeralView,
  keptView,
  requesterView,
  unpostedView,
} from '../views/thread/requester.ts';
import { noticeView, privateNoticeView } from '../views/thread/turn-ended.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { failureOf, refresh, type SlackTools } from './refresh/refresh.ts';

/** The card in its current state, with the names of the people on it. */
async function renderCard(tools: SlackTools, { names }: Workspace, job: Job, queue: Queue) {
  const { stage, prompt } = job;
  const dismissedBy = stage.kind === 'dropped' && stage.byUserId !== null ? [stage.byUserId] : [];
  const known = await names.named([...requestersOf(job), ...dismissedBy, ...mentionedIds(prompt)]);
  return cardView(job, { queue, names: known, sites: sitesOf(tools) });
}

/**
 * A notice in its current state.
 * @param isEdit it waits until Slack says whether the prompt may be shown; a new notice does without it
 */
export async function renderNotice(
  tools: SlackTools,
  workspace: Workspace,
  job: Job,
  { channelId, url }: Pick<Extract<CallRequest, { kind: 'notify_channel' }>, 'channelId' | 'url'>,
  isEdit: boolean,
): Promise<SlackMessage> {
  if (!(await mayShowPrompt(tools, workspace, job, channelId, isEdit))) {
    return privateNoticeView(job, url, sitesOf(tools));
  }
  const names = await workspace.names.named([...requestersOf(job), ...mentionedIds(job.prompt)]);
  return noticeView(job, url, await threadLink(workspace, job), names, sitesOf(tools));
}

/** Whether the notice channel's readers may read the prompt. A channel that Slack hides from the app is private. */
async function mayShowPrompt(
  { log }: SlackTools,
  { poster }: Workspace,
  { id, channelId }: Job,
  noticeChannelId: string,
  isEdit: boolean,
): Promise<boolean> {
  if (channelId === noticeChannelId) return true;
  try {
    return !isDirectMessage(channelId) && (await poster.isPublic(channelId));
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code: reason, outcome, needsAdmin } = error.failure;
    if (isEdit && outcome !== 'refused' && !needsAdmin) throw error;
    if (!isEdit) log.info('channel_taken_for_private', { job_id: id, channel_id: channelId, reason });
    return false;
  }
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

/** Renders the card of the current job, and replaces it in place. */
export const refreshCard = refresh(
  async (tx, task, tools) => {
    const state = await tx.jobs.shown(task.subject);
    if (state === null || state.job.cardTs === null) return null;
    const { cardDrawnAtMs: lastMs } = state;
    const nowMs = tools.clock.now();
    // Another replica's clock may be a bit fast. If it is further ahead, ours was set back.
    if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
      await tx.tasks.delayUntil(task.lease, lastMs + CARD_SPACING_MS);
      return 'later';
    }
    const [job = state.job] = await tx.readBudget.shown([state.job], nowMs);
    // The agent is not asked about it until then, as the card says.
    const pausedUntilMs = job === state.job ? null : (job.trouble?.retryAtMs ?? null);
    const queue = queueOf(state, policyOf(state, tools.newContext()), nowMs);
    return { job, cardTs: state.job.cardTs, queue, pausedUntilMs };
  },
  async (tools, { job, cardTs, queue, pausedUntilMs: againAtMs }) => {
    tools.showChanged(job);
    const workspace = await tools.workspaces.of(job.teamId);
    const card = await renderCard(tools, workspace, job, queue);
    const failure = await failureOf(
      () => workspace.poster.update(job.channelId, cardTs, card),
      (reason) => tools.log.warn('card_not_refreshed', { ...factsOf(job), reason }),
    );
    // Slack may have edited it at any time until now.
    return { failure, note: (tx, { nowMs }) => tx.jobs.cardDrawn(job.id, nowMs), againAtMs };
  },
);

/** A post's channel and thread; null for a private message. */
export function destinationOf({ channelId, threadTs, stage }: Job, request: CallRequest) {
  switch (request.kind) {
    case 'announce':
      if (request.announcement.kind === 'draft')
        return { channelId, threadTs: request.announcement.threadTs };
      // A dismissed draft leaves its thread to others.
      return stage.kind === 'dropped'
        ? { channelId, threadTs: stage.thread?.threadTs ?? stage.postTs }
        : { channelId, threadTs };
    case 'post_card':
      return { channelId, threadTs };
    case 'tell_paused':
      return { channelId, threadTs: null };
    case 'notify_channel':
      return { channelId: request.channelId, threadTs: null };
    case 'notify_requester':
    case 'ephemeral':
      return null;
    default:
      throw new Error(`${request.kind} is not a post`);
  }
}

export async function renderPost(
  tools: SlackTools,
  { call: { request }, job, policy: { followUpMode: mode } }: DueCall,
  workspace: Workspace,
): Promise<SlackMessage> {
  const named = () => workspace.names.named([...actorsIn(request, job), ...mentionedIds(job.prompt)]);
  switch (request.kind) {
    case 'post_card':
      return renderCard(tools, workspace, job, emptyQueue);
    case 'announce':
      return announcementView(request.announcement, job, await named(), mode, sitesOf(tools));
    case 'notify_channel':
      return renderNotice(tools, workspace, job, request, false);
    case 'tell_paused':
      return pausedView(request.recipe, job.owners ?? []);
    case 'notify_requester':
      return privateAnswer(tools, workspace, request, job, { names: await named(), mode });
    case 'ephemeral':
      return messageOfJob(job, await named(), await renderEphemeral(tools, workspace, request, job));
    default:
      throw new Error(`${request.kind} is not a post`);
  }
}

/** A command written as a reply gets its usual answer, with a button that sends it to the agent. */
async function renderEphemeral(
  tools: SlackTools,
  workspace: Workspace,
  { userId, notice }: Extract<CallRequest, { kind: 'ephemeral' }>,
  job: Job,
): Promise<SlackMessage> {
  const target = { jobId: job.id, messageTs: notice.messageTs };
  const { teamId, channelId } = job;
  const sites = sitesOf(tools);
  const nowMs = tools.clock.now();
  const reader = async (texts: readonly string[]): Promise<Reader> => {
    const names = await workspace.names.of(texts.join('\n'));
    return { userId, channelId, workspaceUrl: workspace.workspaceUrl, names, sites };
  };
  switch (notice.kind) {
    case 'kept_help':
      return withSendButton(helpView(null), target);
    case 'kept_list': {
      const viewer = { teamId, userId, channelId };
      const page = await tools.store.transaction(async (tx) => {
        const found = await tx.lists.page(viewer, null, JOBS_PER_PAGE);
        return { ...found, jobs: await tx.readBudget.shown(found.jobs, nowMs) };
      });
      const view = listView(page, await reader(page.jobs.map(({ prompt }) => prompt)));
      return withSendButton(view, target);
    }
    case 'kept_status': {
      const [turns, unsent] = await tools.store.transaction(
        async (tx) => [turnsOf(await tx.lists.callsOf(job.id)), await tx.lists.unsentOf(job.id)] as const,
      );
      const texts = [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)];
      return withSendButton(statusView({ job, turns, unsent }, await reader(texts)), target);
    }
    default:
      return ephemeralView({ ...notice, kind: notice.kind }, job, { nowMs, sites });
  }
}

/** The people whose actions are announced. */
function actorsIn(request: CallRequest, job: Job): string[] {
  const about = request.kind === 'notify_requester' ? request.about : null;
  const announcement = request.kind === 'announce' ? request.announcement : about;
  if (typeof announcement !== 'object' || announcement === null) return [];
  if (announcement.kind === 'draft') return namedInDraft(announcement, job);
  return 'userId' in announcement ? [announcement.userId] : [];
}

async function privateAnswer(
  tools: SlackTools,
  workspace: Workspace,
  { reason, about, isKept }: Extract<CallRequest, { kind: 'notify_requester' }>,
  job: Job,
  { names, mode }: { readonly names: ReadonlyMap<string, string>; readonly mode: FollowUpMode },
): Promise<SlackMessage> {
  switch (about) {
    case 'asked_before': {
      const { stage } = job;
      const sameAsId = stage.kind === 'awaiting_confirmation' ? stage.sameAsJobId : null;
      const sameAs = sameAsId === null ? null : await tools.store.transaction((tx) => tx.jobs.get(sameAsId));
      return questionView({ job, sameAs }, sameAs && (await threadLink(workspace, sameAs)));
    }
    case 'card_refused':
      return requesterView(reason, job, names);
    case 'draft_refused':
      return draftRefusedView(reason, job, names);
    case 'card_delayed':
      return delayedView(reason, job, names);
    default: {
      const post = announcementView(about, job, names, mode, sitesOf(tools));
      return isKept === true ? keptView(reason, job, post) : unpostedView(reason, post);
    }
  }
}
