import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type MessageEvent, messageKeys } from '../reply.ts';
import { writtenOf } from '../written.ts';
import type { ListenerDeps } from './deps.ts';
import { startFromMessage } from './start-from-message.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A message to the bot itself, outside of a thread, starts a job. */
export function directMessage(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    if (event.channel_type !== 'im') return;
    const message = event as MessageEvent;
    const written = writtenOf(message, context.botUserId);
    if (written === null || written.threadTs !== null) return;
    const { team_id: teamId, event_id: eventId } = body;
    await startFromMessage(deps, written, { teamId, keys: messageKeys(teamId, message, eventId) });
  };
}
