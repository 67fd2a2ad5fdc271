import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type MessageEvent, messageKeys } from '../reply.ts';
import { chooseMessagesView } from '../views/thread-preview.ts';
import { type Written, writtenOf } from '../written.ts';
import { isAdmitted } from './admission.ts';
import { answerWriter } from './answer-writer.ts';
import type { ListenerDeps } from './deps.ts';
import { startFromMessage } from './start-from-message.ts';
import { takeReply } from './thread-reply.ts';

type Args = SlackEventMiddlewareArgs<'app_mention'> & AllMiddlewareArgs;

/**
 * A mention starts a job; in a job's thread it is a follow-up. The same message comes as a `message` event, too,
 * before or after this one.
 */
export function mention(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const message = event as MessageEvent;
    const written = writtenOf(message, context.botUserId);
    if (written === null) return;
    const { team_id: teamId, event_id: eventId } = body;
    if (written.threadTs === null) {
      await startFromMessage(deps, written, { teamId, keys: messageKeys(teamId, message, eventId) });
      return;
    }
    const owner = await takeReply(deps, message, {
      teamId,
      eventId,
      botUserId: context.botUserId,
      isRefusalTold: false,
    });
    // A thread that may be that of a card under way may also be anybody's.
    const mayBeElsewhere = owner === 'opening' && message.parent_user_id !== context.botUserId;
    if (owner === 'foreign' || mayBeElsewhere)
      await offerThread(deps, teamId, { ...written, threadTs: written.threadTs });
  };
}

/** Nothing of a thread goes to the agent before a person has seen what. */
async function offerThread(
  deps: ListenerDeps,
  teamId: string,
  { channelId, userId, ts, threadTs }: Written & { readonly threadTs: string },
): Promise<void> {
  const at = { channelId, userId, threadTs, keys: [`mention:${teamId}:${channelId}:${ts}`] };
  if (!(await isAdmitted(deps, at))) return;
  await answerWriter(deps, at, chooseMessagesView({ channelId, threadTs, messageTs: ts }));
}
