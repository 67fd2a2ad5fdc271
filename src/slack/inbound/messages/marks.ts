import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { withoutSkinTone } from '../../protocol/emoji.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { isAdmitted } from '../requests/admission.ts';

type Args = SlackEventMiddlewareArgs<'reaction_added' | 'reaction_removed'> & AllMiddlewareArgs;

/**
 * Somebody puts an emoji at a message, or takes it away. If it is the one that makes drafts in the channel, the message
 * is looked at: what holds is what is there then, in whatever order events arrive, and however often.
 */
export function mark(deps: ListenerDeps) {
  return async ({ event }: Args): Promise<void> => {
    const { type, user: userId, reaction, item } = event;
    const { store, clock, teamId } = deps;
    // Slack's types know no other item, nor an event without one.
    const isMessage = item?.type === 'message';
    const emoji = isMessage
      ? deps.newContext().rulesOf(teamId).channels.get(item.channel)?.reaction
      : undefined;
    if (emoji === undefined || withoutSkinTone(reaction) !== emoji)
      return noteRequest({ outcome: 'ignored' });
    if (type === 'reaction_added' && !(await mayMark(deps, userId, item.channel))) return;
    const subject = `${teamId}:${item.channel}:${item.ts}`;
    const look = { kind: 'look_at_marks', subject, runAtMs: clock.now(), ifScheduled: 'replace' } as const;
    await store.transaction((tx) => tx.tasks.schedule(look));
    noteRequest({ outcome: 'accepted' });
  };
}

/** A member who may not learns it once; for people of other workspaces the emoji is an emoji. */
async function mayMark(deps: ListenerDeps, userId: string, channelId: string): Promise<boolean> {
  if ((await deps.access.refusal(userId, channelId)) === 'other_workspace') return false;
  return isAdmitted(deps, { userId, channelId, threadTs: null }, `reaction:${channelId}:${userId}`);
}
