import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import type { Job } from '../../../jobs/job.ts';
import { rewrittenRequest } from '../../messages/rewritten-request.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SlackTools } from '../slack-tools.ts';

/** Slack knows no such message (any more). */
const DELETED = 'thread_not_found';

/**
 * The job, after its request was read once more: Slack tells of no edit and no deletion in a channel that the bot is not
 * in. What cannot be read is asked as it was taken in.
 */
export async function rereadRequest(tools: SlackTools, workspace: Workspace, job: Job): Promise<Job> {
  const { requestTs: messageTs, requesterId: userId, stage } = job;
  // A message in a thread only led to the form in which the request was written.
  if (messageTs === undefined || userId === null || messageTs !== job.threadTs) return job;
  if (stage.kind !== 'opening') return job;
  const event = await changeOf(tools, workspace, { channelId: job.channelId, messageTs, userId });
  if (event === null) return job;
  return tools.store.transaction((tx) => applyEvent(tx, job.id, event, tools.newContext()));
}

interface Asked {
  readonly channelId: string;
  readonly messageTs: string;
  readonly userId: string;
}

async function changeOf(
  { log, promptMaxLength }: SlackTools,
  { poster, projects, botUserId }: Workspace,
  { channelId, messageTs, userId }: Asked,
): Promise<JobEvent | null> {
  const deleted = { type: 'request_deleted', messageTs, userId } as const;
  try {
    const place = { oldestTs: messageTs, cursor: null };
    const { messages } = await poster.threadPage(channelId, messageTs, place);
    const message = messages.find(({ ts }) => ts === messageTs);
    if (message?.subtype === 'tombstone') return deleted;
    if (message?.edited === undefined || projects === null) return null;
    return rewrittenRequest(message, { userId, botUserId, projects, promptMaxLength });
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    if (error.failure.code === DELETED) return deleted;
    log.warn('request_not_read_again', { channel_id: channelId, reason: error.failure.code });
    return null;
  }
}
