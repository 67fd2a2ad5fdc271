import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type ChangeEvent, mentionAddedIn } from '../../incoming/reply.ts';
import { newMessagesOnlyView } from '../../views/help.ts';
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
    // In the thread of a job, or of one that is about to be, it is an edit like any other.
    if ((await deps.store.transaction((tx) => whoseReply(tx, thread, ts))) !== 'foreign') return;
    const keys = [`mention_by_edit:${teamId}:${channelId}:${ts}`];
    const at = { channelId, userId: message.user, threadTs: rootTs === ts ? null : rootTs, keys };
    if (await isAdmitted(deps, at, null)) await answerWriter(deps, at, newMessagesOnlyView());
  };
}
