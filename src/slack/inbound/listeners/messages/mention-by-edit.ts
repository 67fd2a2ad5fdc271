import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { isBeforeJob } from '../../../../jobs/job.ts';
import type { Thread, Transaction } from '../../../../store/store.ts';
import { type ChangeEvent, mentionAddedIn } from '../../../messages/reply.ts';
import { newMessagesOnlyView } from '../../../views/help.ts';
import { isAdmitted } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { answerWriter } from './answer-writer.ts';
import { whoseReply } from './whose-thread.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** Slack tells of no mention that an edit adds: its author hears, once, that nothing comes of it. */
export function mentionByEdit(deps: ListenerDeps) {
  return async ({ event, context }: Args): Promise<void> => {
    const message =
      event.channel_type === 'im' ? null : mentionAddedIn(event as ChangeEvent, context.botUserId);
    if (message === null) return;
    const { teamId } = deps;
    const { channel: channelId, ts, thread_ts: rootTs = ts } = message;
    const thread = { teamId, channelId, threadTs: rootTs };
    if (await deps.store.transaction((tx) => isReply(tx, thread, ts))) return;
    const name = `mention_by_edit:${teamId}:${channelId}:${ts}`;
    const at = { channelId, userId: message.user, threadTs: rootTs === ts ? null : rootTs, keys: [name] };
    if (await isAdmitted(deps, at, name)) await answerWriter(deps, at, newMessagesOnlyView());
  };
}

/** Whether it is a reply in the thread of a job, or of one that is about to be: there, it is an edit like any other. */
async function isReply(tx: Transaction, thread: Thread, ts: string): Promise<boolean> {
  const owner = await whoseReply(tx, thread, ts);
  if (owner === 'foreign' || owner === 'opening') return owner === 'opening';
  const job = await tx.jobs.get(owner.jobId);
  return job !== null && !isBeforeJob(job, ts);
}
