import { appThatWrote, type MessageEvent, mayBeHuman } from '../../messages/message-event.ts';
import { isRoomForDraft } from '../../workspace/room-for-draft.ts';
import { noteRequest, type RequestNote } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';

/**
 * Takes in a message of a channel in which an app mentions the bot, once: of a listed app's, there will be a draft.
 * Returns whether the message is an app's, and not a person's. Throws SlackCallError if Slack does not say that.
 */
export async function takeAppMention(
  deps: ListenerDeps,
  said: MessageEvent,
  keys: readonly string[],
): Promise<boolean> {
  const app = appThatWrote(said);
  const { channel: channelId, user, ts, thread_ts: threadTs = ts, edited } = said;
  if (app === null || !(await deps.access.admitsApp(app.id, channelId))) return false;
  if (user !== undefined && mayBeHuman(said) && (await deps.access.isPerson(user, true))) return false;
  const { teamId, store, clock, log } = deps;
  const thread = { teamId, channelId, threadTs };
  const subject = `${teamId}:${channelId}:${ts}`;
  const outcome = await store.transaction(async (tx): Promise<RequestNote['outcome']> => {
    const nowMs = clock.now();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return 'duplicate';
    // Asked before Slack is, and once more before the draft is stored.
    const isRoom = edited === undefined && (await isRoomForDraft(tx, log, { thread, appId: app.id, nowMs }));
    if (!isRoom) return 'ignored';
    const look = { kind: 'look_at_app_mention', subject, runAtMs: nowMs, ifScheduled: 'keep' } as const;
    await tx.tasks.schedule(look);
    return 'accepted';
  });
  noteRequest({ outcome });
  return true;
}
