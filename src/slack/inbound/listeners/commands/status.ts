import type { Job } from '../../../../jobs/job.ts';
import type { Viewer } from '../../../../jobs/lists.ts';
import type { Transaction } from '../../../../store/store.ts';
import { jobReference } from '../../../protocol/job-reference.ts';
import { noJobYetView, noSuchJobView } from '../../../views/status.ts';
import type { ListenerDeps } from '../deps.ts';
import { answer, type CommandArgs } from './answer.ts';
import { foundInFull, visible } from './job-in-full.ts';

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
