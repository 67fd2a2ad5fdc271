import type { SlackMessage } from '../../../views/parts/message.ts';
import { noteGesture } from '../../connection/noted-gesture.ts';
import type { ListenerDeps } from '../deps.ts';

export interface WrittenAt {
  readonly channelId: string;
  /** Null: not in a thread; Slack shows nothing private in a thread that has no reply yet. */
  readonly threadTs: string | null;
  readonly userId: string;
  /** All names under which Slack may deliver the message again. */
  readonly keys: readonly string[];
}

/**
 * Answers a message privately, where it was written, or else (with `elsewhere`) in a direct message. An error leaves the event
 * unacknowledged: Slack delivers it again. Told twice, it does less harm than an answer that is lost.
 */
export async function answerWriter(
  deps: ListenerDeps,
  { keys, ...place }: WrittenAt,
  message: SlackMessage,
  elsewhere = message,
): Promise<void> {
  const isKnown = await deps.store.transaction((tx) => tx.inboundRequests.isKnown(keys));
  noteGesture({ outcome: isKnown ? 'duplicate' : 'accepted' });
  if (isKnown) return;
  await deps.poster.whisperOrTell(place, message, elsewhere);
  await deps.store.transaction((tx) => tx.inboundRequests.remember(keys, deps.clock.now()));
}
