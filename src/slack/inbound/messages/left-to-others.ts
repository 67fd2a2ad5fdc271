import type { Thread } from '../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';
import { leaveRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';

/** Slack makes four attempts at an event. */
const LAST_RETRY = 3;

interface Delivery {
  /** The bot has posted the root of the thread. */
  readonly isRootByBot: boolean;
  readonly retryNum: number | undefined;
}

/**
 * Leaves a reply unacknowledged that is in a thread of nobody here while another program gets a share of the requests:
 * it may be the other's thread, and Slack delivers it again, to either. The last attempt is answered as if there were no
 * other. Returns whether it is left.
 */
export async function leaveToOthers(
  deps: ListenerDeps,
  thread: Thread,
  { isRootByBot, retryNum = 0 }: Delivery,
): Promise<boolean> {
  if (retryNum >= LAST_RETRY) return false;
  // In a thread that a person has begun, an unknown reply is no sign of another program: people talk to each other.
  if (!isRootByBot && !(await deps.isSharedSince(null))) return false;
  if (await deps.store.transaction((tx) => tx.retention.isPast(thread))) return false;
  const rootAtMs = Number(thread.threadTs) * 1000;
  if (!(await deps.isSharedSince(rootAtMs + CLOCK_SKEW_MS))) return false;
  deps.log.info('reply_left', { channel_id: thread.channelId, thread_ts: thread.threadTs });
  leaveRequest();
  return true;
}
