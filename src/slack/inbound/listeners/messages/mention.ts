import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type MessageEvent, messageKeys } from '../../../messages/reply.ts';
import { writtenOf } from '../../../messages/written.ts';
import type { ListenerDeps } from '../deps.ts';
import { offerThread } from './offer-thread.ts';
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
    const { event_id: eventId } = body;
    if (written.threadTs === null) {
      await startFromMessage(deps, written, messageKeys(deps.teamId, message, eventId));
      return;
    }
    const owner = await takeReply(deps, message, {
      eventId,
      botUserId: context.botUserId,
      isRefusalTold: false,
    });
    // A thread that may be that of a card under way may also be anybody's.
    const mayBeElsewhere = owner === 'opening' && message.parent_user_id !== context.botUserId;
    if (owner === 'foreign' || mayBeElsewhere)
      await offerThread(deps, { ...written, threadTs: written.threadTs });
  };
}
