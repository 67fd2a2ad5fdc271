import { factsOf, policyOf, sitesOf } from '#engine/apply-event.ts';
import type { DueCall } from '#engine/run-lane.ts';
import { announces } from '#jobs/agent-job.ts';
import type { Announcement } from '#jobs/announcement.ts';
import type { CallRequest } from '#jobs/call.ts';
import { emptyQueue, type Queue, queueOf } from '#jobs/follow-ups/follow-up.ts';
import { turnsOf } from '#jobs/follow-ups/turns.ts';
import { endedByOf, type Job, requestersOf } from '#jobs/job.ts';
import { threadLink as threadLinkOf } from '../protocol/ids.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { announcementView } from '../views/announcement.ts';
import { questionView } from '../views/compose.ts';
import { draftRefusedView, namedInDraft, recipePausedView } from '../views/draft.ts';
import { helpView } from '../views/help.ts';
import { cardView, type Reader } from '../views/job.ts';
import { messageOfJob, type SlackMessage } from '../views/message.ts';
import {
  delayedView,
  ephemeralView,
  keptView,
  requesterView,
  unpostedView,
  withSendButton,
} from '../views/private-answers.ts';
import { JOBS_PER_PAGE, listView, statusView } from '../views/status.ts';
import { isDirectMessage } from '../views/text.ts';
import { noticeView, privateNoticeView } from '../views/turn-ended.ts';
import { failureIn } from '../workspace/caller.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { failureOf, refresh, type SlackTools } from './refresh.ts';

async function renderCard(tools: SlackTools, { names }: Workspace, job: Job, queue: Queue) {
  const endedBy = endedByOf(job);
  const people = [...requestersOf(job), ...(endedBy === null ? [] : [endedBy]), ...mentionedIds(job.prompt)];
  return cardView(job, { queue, names: await names.named(people), sites: sitesOf(tools) });
}

/** @param isEdit throws while Slack can't say whether the prompt is public; a new notice omits it */
export async function renderNotice(
  tools: SlackTools,
  workspace: Workspace,
  job: Job,
  { channelId, url }: Pick<Extract<CallRequest, { kind: 'notify_channel' }>, 'channelId' | 'url'>,
  isEdit: boolean,
): Promise<SlackMessage> {
  const sites = sitesOf(tools);
  if (job.channelId !== channelId && !(await mayBeReadByAll(tools, workspace, job, isEdit))) {
    return privateNoticeView(job, url, sites);
  }
  const names = await workspace.names.named([...requestersOf(job), ...mentionedIds(job.prompt)]);
  return noticeView(job, url, await threadLink(workspace, job), names, sites);
}

/** Slack hides private channels from the app. */
async function mayBeReadByAll(
  { log }: SlackTools,
  { poster }: Workspace,
  { id, channelId }: Job,
  isEdit: boolean,
) {
  try {
    return !isDirectMessage(channelId) && (await poster.isPublic(channelId));
  } catch (error) {
    const { code: reason, outcome, needsAdmin } = failureIn(error);
    if (isEdit && outcome !== 'refused' && !needsAdmin) throw error;
    if (!isEdit) log.info('channel_taken_for_private', { job_id: id, channel_id: channelId, reason });
    return false;
  }
}

/** Null: unknown. */
export async function threadLink(
  { poster, workspaceUrl }: Workspace,
  { channelId, threadTs }: Job,
): Promise<string | null> {
  if (threadTs === null) return null;
  return threadLinkOf(workspaceUrl, channelId, threadTs) ?? poster.permalinkIfAny(channelId, threadTs);
}

/** Slack's limit covers edits of all messages. */
const CARD_SPACING_MS = 3_000;

export const refreshCard = refresh(
  async (tx, { subject, lease }, { clock, newContext }) => {
    const state = await tx.jobs.readUnlocked(subject);
    if (state === null || state.job.cardTs === null) return null;
    const { cardDrawnAtMs: lastMs } = state;
    const nowMs = clock.now();
    // Another replica's clock may be fast. If far ahead, ours was set back.
    if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
      await tx.tasks.delayUntil(lease, lastMs + CARD_SPACING_MS);
      return 'later';
    }
    const [job = state.job] = await tx.readBudget.shown([state.job], nowMs);
    // The agent isn't asked before then.
    const againAtMs = job === state.job ? null : (job.trouble?.retryAtMs ?? null);
    const queue = queueOf(state, policyOf(state, newContext()), nowMs);
    return { job, cardTs: state.job.cardTs, queue, againAtMs };
  },
  async (tools, { job, cardTs, queue, againAtMs }) => {
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

/** Null: a private message. */
export function destinationOf({ channelId, threadTs, stage }: Job, request: CallRequest) {
  switch (request.kind) {
    case 'announce':
      if (request.announcement.kind === 'draft') {
        return { channelId, threadTs: request.announcement.threadTs };
      }
      // A dismissed draft frees its thread.
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
  { call: { request }, job, saved }: DueCall,
  workspace: Workspace,
): Promise<SlackMessage> {
  const named = () => workspace.names.named([...actorsIn(request, job), ...mentionedIds(job.prompt)]);
  const announced = async (announcement: Announcement) =>
    announcementView(announcement, job, {
      names: await named(),
      mode: policyOf({ job, saved }, tools.newContext()).followUpMode,
      sites: sitesOf(tools),
      features: tools.featureViews,
    });
  switch (request.kind) {
    case 'post_card':
      return renderCard(tools, workspace, job, emptyQueue);
    case 'announce':
      return announced(request.announcement);
    case 'notify_channel':
      return renderNotice(tools, workspace, job, request, false);
    case 'tell_paused':
      return recipePausedView(request.recipe, job.owners ?? []);
    case 'ephemeral':
      return messageOfJob(job, await named(), (await renderEphemeral(tools, workspace, request, job)).blocks);
    case 'notify_requester': {
      const { reason, about, isKept } = request;
      switch (about) {
        case 'asked_before':
          return renderQuestion(tools, workspace, job);
        case 'card_refused':
          return requesterView(reason, job, await named());
        case 'draft_refused':
          return draftRefusedView(reason, job, await named());
        case 'card_delayed':
          return delayedView(reason, job, await named());
        default:
          return isKept === true
            ? keptView(reason, job, await announced(about))
            : unpostedView(reason, await announced(about));
      }
    }
    default:
      throw new Error(`${request.kind} is not a post`);
  }
}

async function renderQuestion(tools: SlackTools, workspace: Workspace, job: Job) {
  const { stage } = job;
  const sameAsId = stage.kind === 'awaiting_confirmation' ? stage.sameAsJobId : null;
  const sameAs = sameAsId === null ? null : await tools.store.transaction((tx) => tx.jobs.get(sameAsId));
  const canStop = announces(tools.known.agent(job.projectId), 'cancel');
  return questionView({ job, sameAs }, sameAs && (await threadLink(workspace, sameAs)), canStop);
}

async function renderEphemeral(
  tools: SlackTools,
  { workspaceUrl, names }: Workspace,
  { userId, notice }: Extract<CallRequest, { kind: 'ephemeral' }>,
  job: Job,
): Promise<SlackMessage> {
  const { store, clock, known } = tools;
  const target = { jobId: job.id, messageTs: notice.messageTs };
  const { teamId, channelId } = job;
  const sites = sitesOf(tools);
  const nowMs = clock.now();
  const reader = async (texts: readonly string[]): Promise<Reader> => {
    return { userId, channelId, workspaceUrl, names: await names.of(texts.join('\n')), sites };
  };
  switch (notice.kind) {
    case 'kept_help':
      return withSendButton(helpView(null), target);
    case 'kept_list': {
      const page = await store.transaction(async (tx) => {
        const found = await tx.lists.page({ teamId, userId, channelId }, null, JOBS_PER_PAGE);
        return { ...found, jobs: await tx.readBudget.shown(found.jobs, nowMs) };
      });
      const view = listView(page, await reader(page.jobs.map(({ prompt }) => prompt)));
      return withSendButton(view, target);
    }
    case 'kept_status': {
      const [turns, unsent] = await store.transaction(
        async (tx) => [turnsOf(await tx.lists.callsOf(job.id)), await tx.lists.unsentOf(job.id)] as const,
      );
      const texts = [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)];
      return withSendButton(statusView({ job, turns, unsent }, await reader(texts)), target);
    }
    default: {
      const canStop = announces(known.agent(job.projectId), 'cancel');
      return ephemeralView({ ...notice, kind: notice.kind }, job, { nowMs, sites, canStop });
    }
  }
}

function actorsIn(request: CallRequest, job: Job) {
  const about = request.kind === 'notify_requester' ? request.about : null;
  const announcement = request.kind === 'announce' ? request.announcement : about;
  if (typeof announcement !== 'object' || announcement === null) return [];
  if (announcement.kind === 'draft') return namedInDraft(announcement, job);
  return 'userId' in announcement && announcement.userId !== null ? [announcement.userId] : [];
}
