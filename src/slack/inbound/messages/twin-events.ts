import type { Clock } from '../../../engine/runtime/clock.ts';

/** A third of the time that Slack waits for an acknowledgement. */
const WAIT_MS = 1_000;
/** More than Slack delivers in that time; older ones are done or timed out. */
const MAX_KNOWN = 1_000;

/**
 * Slack delivers a message that mentions the bot as two events, `message` and `app_mention`, in any order, to
 * any replica. The second may lack attachments, so it waits for the first: briefly, as that may never come,
 * and unacknowledged, so that a crash loses neither.
 */
export function twinEvents(clock: Clock) {
  const messages = new Map<string, PromiseWithResolvers<void>>();

  function handled(key: string): PromiseWithResolvers<void> {
    const known = messages.get(key);
    if (known !== undefined) return known;
    const [oldest] = messages.keys();
    if (messages.size >= MAX_KNOWN && oldest !== undefined) messages.delete(oldest);
    const made = Promise.withResolvers<void>();
    messages.set(key, made);
    return made;
  }

  return {
    ofMessage: async (key: string, takeIn: () => Promise<void>): Promise<void> => {
      const { resolve } = handled(key);
      try {
        await takeIn();
      } finally {
        resolve();
      }
    },
    /** Processes the `app_mention` once the `message` event is done, or does not come. */
    ofMention: async (key: string, takeIn: () => Promise<void>): Promise<void> => {
      await clock.timeout(WAIT_MS, handled(key).promise, undefined);
      await takeIn();
    },
  };
}
