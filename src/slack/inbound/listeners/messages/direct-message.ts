import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type MessageEvent, messageKeys } from '../../../messages/reply.ts';
import { writtenOf } from '../../../messages/written.ts';
import type { ListenerDeps } from '../deps.ts';
import { offerThread } from './offer-thread.ts';
import { startFromMessage } from './start-from-message.ts';
import { whoseThread } from './whose-thread.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A message to the bot itself starts a job, unless it is written in a thread. */
export function directMessage(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    if (event.channel_type !== 'im') return;
    const message = event as MessageEvent;
    const written = writtenOf(message, context.botUserId);
    if (written === null) return;
    const { teamId } = deps;
    const { channelId, threadTs } = written;
    if (threadTs !== null) {
      const owner = await deps.store.transaction((tx) => whoseThread(tx, { teamId, channelId, threadTs }));
      const rootUserId = message.parent_user_id ?? context.botUserId;
      // A thread that may be that of a card under way may also be the person's own.
      const mayBeElsewhere = owner === 'opening' && rootUserId !== context.botUserId;
      if (owner === 'foreign' || mayBeElsewhere) await offerThread(deps, { ...written, threadTs });
      return;
    }
    await startFromMessage(deps, written, messageKeys(teamId, message, body.event_id));
  };
}
