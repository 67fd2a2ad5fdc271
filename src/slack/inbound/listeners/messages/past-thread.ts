import { type MessageEvent, replyOf } from '../../../messages/reply.ts';
import { threadForgottenView } from '../../../views/thread/too-late.ts';
import { isAdmitted } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { answerWriter } from './answer-writer.ts';

/** Who replies in the thread of a job that was deleted is told so, once. A mention is answered by what it offers. */
export async function tellIfPast(
  deps: ListenerDeps,
  message: MessageEvent,
  botUserId: string | undefined,
): Promise<void> {
  const found = replyOf(message, botUserId);
  if (found === null || found.reply.mentionsBot) return;
  const { threadTs, reply } = found;
  const { teamId } = deps;
  const thread = { teamId, channelId: message.channel, threadTs };
  if (!(await deps.store.transaction((tx) => tx.retention.isPast(thread)))) return;
  const { userId } = reply;
  const keys = [`past_thread:${teamId}:${thread.channelId}:${threadTs}:${userId}`];
  const at = { channelId: thread.channelId, threadTs, userId, keys };
  if (await isAdmitted(deps, at, null)) await answerWriter(deps, at, threadForgottenView());
}
