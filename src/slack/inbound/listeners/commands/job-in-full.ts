import type { Job } from '../../../../jobs/job.ts';
import type { Viewer } from '../../../../jobs/lists.ts';
import { turnsOf } from '../../../../jobs/turns.ts';
import type { Transaction } from '../../../../store/store.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { type JobStory, noSuchJobView, statusView } from '../../../views/status.ts';
import type { ListenerDeps } from '../deps.ts';
import { namesIn, show } from './show.ts';

/** The home tab, and a modal over it, are in no channel: only own jobs are seen there. */
export const NO_CHANNEL = '';

/** All that is known of a job, for who may see it there; or why it is not shown. */
export function jobInFull(deps: ListenerDeps, sight: Viewer, jobId: string): Promise<SlackMessage> {
  const find = async (tx: Transaction) => visible(sight, await tx.jobs.get(jobId));
  return foundInFull(deps, sight, find, noSuchJobView());
}

/** The same of the job that is found. @param missing if there is none */
export function foundInFull(
  deps: ListenerDeps,
  sight: Viewer,
  find: (tx: Transaction) => Promise<Job | null>,
  missing: SlackMessage,
): Promise<SlackMessage> {
  return show(deps, async () => {
    const story = await deps.store.transaction(async (tx): Promise<JobStory | null> => {
      const job = await find(tx);
      if (job === null) return null;
      const turns = turnsOf(await tx.lists.callsOf(job.id));
      return { job: await tx.checks.withLastCheck(job), turns, unsent: await tx.lists.unsentOf(job.id) };
    });
    if (story === null) return missing;
    const { job, turns, unsent } = story;
    const names = await namesIn(deps, [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)]);
    return statusView(story, { ...sight, workspaceUrl: deps.workspaceUrl, names });
  });
}

/** Others' jobs are seen in their channel only: who can read elsewhere is for Slack to say. */
export function visible({ teamId, userId, channelId }: Viewer, job: Job | null): Job | null {
  if (job === null || job.teamId !== teamId) return null;
  return job.requesterId === userId || job.channelId === channelId ? job : null;
}
