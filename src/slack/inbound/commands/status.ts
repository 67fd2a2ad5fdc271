import type { Job } from '../../../jobs/job.ts';
import type { Viewer } from '../../../jobs/lists.ts';
import { turnsOf } from '../../../jobs/turns.ts';
import type { Transaction } from '../../../store/store.ts';
import { decodeButton } from '../../protocol/ids.ts';
import { jobReference } from '../../protocol/job-reference.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { type JobStory, jobModalTitle, noJobYetView, noSuchJobView, statusView } from '../../views/status.ts';
import type { CommandArgs, ListenerDeps, PressArgs } from '../deps.ts';
import { namesIn, show } from '../requests/in-time.ts';
import { answer, answerBeside, bestEffort, openForm } from '../requests/replies.ts';

/** `/docs-agent status [job]` @param word what names the job; null: the latest of who asks */
export async function status(deps: ListenerDeps, args: CommandArgs, word: string | null): Promise<void> {
  const { user_id: userId, channel_id: channelId } = args.command;
  const { teamId } = deps;
  const sight = { teamId, userId, channelId };
  const find = (tx: Transaction) =>
    word === null ? tx.lists.latestOf(teamId, userId) : named(tx, sight, word);
  const missing = word === null ? noJobYetView() : noSuchJobView();
  await answer(args, await foundInFull(deps, sight, find, missing));
}

async function named(tx: Transaction, sight: Viewer, word: string): Promise<Job | null> {
  const reference = jobReference(word);
  if (reference.kind === 'id') {
    const meant = await tx.lists.meant(sight.teamId, reference.id);
    return meant.find((job) => visible(sight, job) !== null) ?? null;
  }
  const jobId = await tx.jobs.findByThread(sight.teamId, reference.channelId, reference.threadTs);
  return visible(sight, jobId === null ? null : await tx.jobs.get(jobId));
}

/** The home tab, and a modal over it, are in no channel: only own jobs are seen there. */
export const NO_CHANNEL = '';

/** All that is known of a job, for who may see it there; or why it is not shown. */
export function jobInFull(deps: ListenerDeps, sight: Viewer, jobId: string): Promise<SlackMessage> {
  const find = async (tx: Transaction) => visible(sight, await tx.jobs.get(jobId));
  return foundInFull(deps, sight, find, noSuchJobView());
}

/** The same of the job that is found. @param missing if there is none */
function foundInFull(
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
function visible({ teamId, userId, channelId }: Viewer, job: Job | null): Job | null {
  if (job === null || job.teamId !== teamId) return null;
  return job.requesterId === userId || job.channelId === channelId ? job : null;
}

/** *Details*: one job of a list, in full; of the home tab, in a modal. */
export function showJob(deps: ListenerDeps) {
  return async ({ ack, action, body, respond }: PressArgs): Promise<void> => {
    await ack();
    const channelId = body.channel?.id || NO_CHANNEL;
    const target = decodeButton(action.value ?? '');
    if (target === null) return;
    const message = await jobInFull(
      deps,
      { teamId: deps.teamId, userId: body.user.id, channelId },
      target.jobId,
    );
    if (channelId !== NO_CHANNEL) {
      await answerBeside(deps, { body, respond }, message);
    } else {
      const view = plainModal(jobModalTitle, message);
      const isOpen = (await openForm(deps, body.trigger_id, view)) !== null;
      if (!isOpen) await bestEffort(deps, deps.poster.tell(body.user.id, null, message));
    }
  };
}
