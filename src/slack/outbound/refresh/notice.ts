import { factsOf } from '../../../engine/tools.ts';
import type { Job } from '../../../jobs/job.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import type { PostedCall } from '../../../store/queries/calls/calls.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { mayShowJob, renderNotice } from '../render.ts';
import { isHopeless } from '../slack-tools.ts';
import { failureOf, refresh } from './refresh.ts';

interface Notices {
  readonly job: Job;
  readonly stale: readonly PostedCall<'notify_channel'>[];
}

/** Brings the notices of a job in one channel up to date with what the code host says. */
export const refreshNotice = refresh<Notices>({
  load: (tools, task) => tools.store.transaction((tx) => loadNotices(tx, task)),
  show: async (tools, { job, stale }, { task }) => {
    const workspace = await tools.workspaces.of(job.teamId);
    for (const { id, request, ts } of stale) {
      const { channelId, url } = request;
      const edit = async () => {
        const isPublic = await isForAll(workspace, job, channelId);
        const message = await renderNotice(tools, workspace, job, url, isPublic);
        await workspace.poster.update(channelId, ts, message, id);
      };
      const failure = await failureOf(edit, (reason) =>
        tools.log.warn('notice_not_refreshed', { ...factsOf(job), channel_id: channelId, reason }),
      );
      if (failure !== null && !isHopeless(task, failure)) return failure;
    }
    return null;
  },
});

async function loadNotices(tx: Transaction, { subject: lane, lease }: ClaimedTask): Promise<Notices | null> {
  await tx.tasks.fence(lease);
  const [, jobId = ''] = lane.split(':');
  const job = await tx.jobs.get(jobId);
  if (job === null) {
    await tx.tasks.complete(lease);
    return null;
  }
  const notices = await tx.calls.posted(jobId, 'notify_channel');
  const stale = notices.filter(
    (notice) => notice.lane === lane && seenPullRequest(job, notice.request.url) !== null,
  );
  return { job, stale };
}

/** What Slack does not let the app see is private; what it cannot say right now is asked again. */
async function isForAll(workspace: Workspace, job: Job, noticeChannelId: string): Promise<boolean> {
  try {
    return await mayShowJob(workspace, job, noticeChannelId);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { outcome, needsAdmin } = error.failure;
    if (outcome === 'refused' || needsAdmin) return false;
    throw error;
  }
}
