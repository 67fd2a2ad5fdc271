import type { CallRequest } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import { nobodyWaits } from '../../../jobs/queue.ts';
import { mentionedUserIds } from '../../protocol/readable-text.ts';
import { askedBeforeView } from '../../views/forms/asked-before.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { isDirectMessage } from '../../views/parts/mrkdwn.ts';
import { announcementView } from '../../views/thread/announcement.ts';
import { cardView } from '../../views/thread/card.ts';
import { noticeView, privateNoticeView } from '../../views/thread/notice.ts';
import { delayedView, requesterView, unpostedView, whisperView } from '../../views/thread/requester.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../slack-tools.ts';
import type { SlackCall } from './settle-post.ts';

export interface Destination {
  readonly channelId: string;
  readonly threadTs: string | null;
}

/** Where a post goes; null for what one person is told privately. */
export function destinationOf(job: Job, request: CallRequest): Destination | null {
  switch (request.kind) {
    case 'post_card':
    case 'announce':
      return { channelId: job.channelId, threadTs: job.threadTs };
    case 'notify_channel':
      return { channelId: request.channelId, threadTs: null };
    case 'tell_requester':
    case 'whisper':
      return null;
    case 'create_job':
    case 'send_message':
      throw new Error(`${request.kind} is not a post`);
  }
}

export async function renderPost(
  tools: SlackTools,
  { call: { request }, job, mode, workspace }: SlackCall,
): Promise<SlackMessage> {
  const names = await workspace.names.named([...actorsIn(request), ...mentionedUserIds(job.prompt)]);
  switch (request.kind) {
    case 'post_card':
      return cardView(job, nobodyWaits, names, mode);
    case 'announce':
      return announcementView(request.announcement, job, names, mode);
    case 'notify_channel':
      return (await mayTell(tools, workspace, job, request.channelId))
        ? noticeView(job, request.url, await threadLink(workspace, job), names)
        : privateNoticeView(request.url);
    case 'tell_requester':
      return privateAnswer(tools, workspace, request, job, { names, mode });
    case 'whisper':
      return whisperView(request.whisper, job);
    case 'create_job':
    case 'send_message':
      throw new Error(`${request.kind} is not a post`);
  }
}

/** Who did what is told. */
function actorsIn(request: CallRequest): string[] {
  const about = request.kind === 'tell_requester' ? request.about : null;
  const announcement = request.kind === 'announce' ? request.announcement : about;
  return typeof announcement === 'object' && announcement !== null && 'userId' in announcement
    ? [announcement.userId]
    : [];
}

async function privateAnswer(
  tools: SlackTools,
  workspace: Workspace,
  { reason, about }: Extract<CallRequest, { kind: 'tell_requester' }>,
  job: Job,
  { names, mode }: { readonly names: ReadonlyMap<string, string>; readonly mode: FollowUpMode },
): Promise<SlackMessage> {
  switch (about) {
    case 'asked_before':
      return question(tools, workspace, job);
    case 'card_refused':
      return requesterView(reason, job, names);
    case 'card_delayed':
      return delayedView(reason, job.prompt, names);
    default:
      return unpostedView(reason, announcementView(about, job, names, mode));
  }
}

async function question(tools: SlackTools, workspace: Workspace, job: Job): Promise<SlackMessage> {
  const { stage } = job;
  const sameAs =
    stage.kind === 'asking' ? await tools.store.transaction((tx) => tx.jobs.get(stage.sameAsJobId)) : null;
  return askedBeforeView({ job, sameAs }, sameAs && (await threadLink(workspace, sameAs)));
}

/** Whether what was asked may be read there. Where nobody can tell, it may not; the notice does not wait for it. */
async function mayTell(
  { log }: SlackTools,
  { poster }: Workspace,
  { id, channelId }: Job,
  noticeChannelId: string,
): Promise<boolean> {
  if (channelId === noticeChannelId) return true;
  if (isDirectMessage(channelId)) return false;
  try {
    return await poster.isPublic(channelId);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code: reason } = error.failure;
    log.info('channel_taken_for_private', { job_id: id, channel_id: channelId, reason });
    return false;
  }
}

/** A notice is worth more without the link than not at all. */
async function threadLink({ poster }: Workspace, job: Job): Promise<string | null> {
  if (job.threadTs === null) return null;
  try {
    return await poster.permalink(job.channelId, job.threadTs);
  } catch (error) {
    if (error instanceof SlackCallError) return null;
    throw error;
  }
}
