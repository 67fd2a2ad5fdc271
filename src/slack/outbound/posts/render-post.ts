import type { DueCall } from '../../../engine/run-lane.ts';
import { sitesOf } from '../../../engine/tools.ts';
import type { CallRequest } from '../../../jobs/call.ts';
import { emptyQueue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { turnsOf } from '../../../jobs/follow-ups/turns.ts';
import type { Job } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import { mentionedIds } from '../../protocol/slack-text.ts';
import { questionView } from '../../views/forms/question.ts';
import { helpView } from '../../views/help.ts';
import { JOBS_PER_PAGE, listView } from '../../views/list.ts';
import { messageOfJob, type Reader } from '../../views/parts/job-line.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { pausedView } from '../../views/recipes.ts';
import { statusView } from '../../views/status.ts';
import { announcementView } from '../../views/thread/announcement.ts';
import { draftRefusedView, namedInDraft } from '../../views/thread/draft.ts';
import { withSendButton } from '../../views/thread/not-for-agent.ts';
import {
  delayedView,
  ephemeralView,
  keptView,
  requesterView,
  unpostedView,
} from '../../views/thread/requester.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { mayShowJob, renderCard, renderNotice, threadLink } from '../render.ts';
import type { SlackTools } from '../slack-tools.ts';

interface Destination {
  readonly channelId: string;
  readonly threadTs: string | null;
}

/** A post's channel and thread; null for a private message. */
export function destinationOf(job: Job, request: CallRequest): Destination | null {
  switch (request.kind) {
    case 'announce': {
      const { announcement } = request;
      const threadTs = announcement.kind === 'draft' ? announcement.threadTs : threadOf(job);
      return { channelId: job.channelId, threadTs };
    }
    case 'post_card':
      return { channelId: job.channelId, threadTs: job.threadTs };
    case 'tell_paused':
      return { channelId: job.channelId, threadTs: null };
    case 'notify_channel':
      return { channelId: request.channelId, threadTs: null };
    case 'notify_requester':
    case 'ephemeral':
      return null;
    case 'create_job':
    case 'send_message':
    case 'complete_step':
      throw new Error(`${request.kind} is not a post`);
  }
}

/** A dismissed draft leaves its thread to others. */
function threadOf({ threadTs, stage }: Job): string | null {
  return stage.kind === 'dropped' ? (stage.thread?.threadTs ?? stage.postTs) : threadTs;
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
    case 'notify_channel': {
      const isPublic = await isForAll(tools, workspace, job, request.channelId);
      return renderNotice(tools, workspace, job, request.url, isPublic);
    }
    case 'tell_paused':
      return pausedView(request.recipe, job.owners ?? []);
    case 'notify_requester':
      return privateAnswer(tools, workspace, request, job, { names: await named(), mode });
    case 'ephemeral':
      return messageOfJob(job, await named(), await renderEphemeral(tools, workspace, request, job));
    case 'create_job':
    case 'send_message':
    case 'complete_step':
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
    case 'asked_before':
      return question(tools, workspace, job);
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

async function question(tools: SlackTools, workspace: Workspace, job: Job): Promise<SlackMessage> {
  const { stage } = job;
  const sameAsId = stage.kind === 'awaiting_confirmation' ? stage.sameAsJobId : null;
  const sameAs = sameAsId === null ? null : await tools.store.transaction((tx) => tx.jobs.get(sameAsId));
  return questionView({ job, sameAs }, sameAs && (await threadLink(workspace, sameAs)));
}

/** If unknown, the prompt may not be shown; the notice does not wait for it. */
async function isForAll(
  { log }: SlackTools,
  workspace: Workspace,
  job: Job,
  noticeChannelId: string,
): Promise<boolean> {
  try {
    return await mayShowJob(workspace, job, noticeChannelId);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code: reason } = error.failure;
    log.info('channel_taken_for_private', { job_id: job.id, channel_id: job.channelId, reason });
    return false;
  }
}
