import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Job } from '../../../jobs/job.ts';
import { turnsOf } from '../../../jobs/turns.ts';
import type { Sight } from '../../../store/lists.ts';
import type { Transaction } from '../../../store/store.ts';
import { decodeButton } from '../../ids.ts';
import { jobReference } from '../../job-reference.ts';
import type { SlackMessage } from '../../views/message.ts';
import { plainModal } from '../../views/modal.ts';
import { type JobStory, noJobYetView, noSuchJobView, statusView } from '../../views/status.ts';
import { answerBeside, courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import { openForm } from '../forms/open-form.ts';
import { answer, type CommandArgs } from './answer.ts';
import { namesIn, show } from './show.ts';

/** The home tab is in no channel: only own jobs are seen there. */
const NO_CHANNEL = '';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** `/docs-agent status [job]` @param word what names the job; null: the latest of who asks */
export async function status(deps: ListenerDeps, args: CommandArgs, word: string | null): Promise<void> {
  const { user_id: userId, channel_id: channelId } = args.command;
  const { teamId } = deps;
  const sight = { teamId, userId, channelId };
  const find = (tx: Transaction) =>
    word === null ? tx.lists.latestOf(teamId, userId) : named(tx, sight, word);
  const missing = word === null ? noJobYetView() : noSuchJobView();
  await answer(args, await show(deps, () => read(deps, sight, find, missing)));
}

/** *Details*: one job of a list, in full; of the home tab, in a modal. */
export function showJob(deps: ListenerDeps) {
  return async ({ ack, action, body, respond }: Args): Promise<void> => {
    await ack();
    const channelId = body.channel?.id || NO_CHANNEL;
    const target = decodeButton(action.value ?? '');
    if (target === null) return;
    const sight = { teamId: deps.teamId, userId: body.user.id, channelId };
    const find = async (tx: Transaction) => visible(sight, await tx.jobs.get(target.jobId));
    const message = await show(deps, () => read(deps, sight, find, noSuchJobView()));
    if (channelId !== NO_CHANNEL) {
      await answerBeside(deps, respond, message);
    } else {
      const isOpen = (await openForm(deps, body.trigger_id, plainModal('Job', message))) !== null;
      if (!isOpen) await courtesy(deps, deps.poster.tell(body.user.id, null, message));
    }
  };
}

async function read(
  deps: ListenerDeps,
  sight: Sight,
  find: (tx: Transaction) => Promise<Job | null>,
  missing: SlackMessage,
): Promise<SlackMessage> {
  const story = await deps.store.transaction(async (tx): Promise<JobStory | null> => {
    const job = await find(tx);
    if (job === null) return null;
    const turns = turnsOf(await tx.lists.callsOf(job.id));
    return { job, turns, unsent: await tx.lists.unsentOf(job.id) };
  });
  if (story === null) return missing;
  const { job, turns, unsent } = story;
  const names = await namesIn(deps, [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)]);
  return statusView(story, { ...sight, workspaceUrl: deps.workspaceUrl, names });
}

async function named(tx: Transaction, sight: Sight, word: string): Promise<Job | null> {
  const reference = jobReference(word);
  if (reference.kind === 'id') {
    const meant = await tx.lists.meant(sight.teamId, reference.id);
    return meant.find((job) => visible(sight, job) !== null) ?? null;
  }
  const jobId = await tx.jobs.findByThread(sight.teamId, reference.channelId, reference.threadTs);
  return visible(sight, jobId === null ? null : await tx.jobs.get(jobId));
}

/** Others' jobs are seen in their channel only: who can read elsewhere is for Slack to say. */
function visible({ teamId, userId, channelId }: Sight, job: Job | null): Job | null {
  if (job === null || job.teamId !== teamId) return null;
  return job.requesterId === userId || job.channelId === channelId ? job : null;
}
