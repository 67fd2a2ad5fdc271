import { type EngineTools, sitesOf } from '../../engine/tools.ts';
import type { Queue } from '../../jobs/follow-ups/follow-up-queue.ts';
import { type Job, requestersOf } from '../../jobs/job.ts';
import { threadLink as threadLinkOf } from '../protocol/links.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { isDirectMessage } from '../views/parts/mrkdwn.ts';
import { cardView } from '../views/thread/card.ts';
import { noticeView, privateNoticeView } from '../views/thread/notice.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The card as things are now, with the names of the people on it. */
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

/** A notice as things are now. @param isPublic from `mayShowJob` */
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

/** Whether the readers of a notice channel may read the prompt. Throws SlackCallError if Slack does not say. */
export async function mayShowJob(
  { poster }: Workspace,
  { channelId }: Job,
  noticeChannelId: string,
): Promise<boolean> {
  if (channelId === noticeChannelId) return true;
  return !isDirectMessage(channelId) && poster.isPublic(channelId);
}

/** A notice is worth more without the link than not at all. Slack is asked for it only if it cannot be made here. */
export async function threadLink(
  { poster, workspaceUrl }: Workspace,
  { channelId, threadTs }: Job,
): Promise<string | null> {
  if (threadTs === null) return null;
  return threadLinkOf(workspaceUrl, channelId, threadTs) ?? poster.permalinkIfAny(channelId, threadTs);
}
