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
export class TwinEvents {
  private readonly clock: Clock;
  private readonly messages = new Map<string, PromiseWithResolvers<void>>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async ofMessage(key: string, takeIn: () => Promise<void>): Promise<void> {
    const { resolve } = this.handled(key);
    try {
      await takeIn();
    } finally {
      resolve();
    }
  }

  /** Processes the `app_mention` once the `message` event is done, or does not come. */
  async ofMention(key: string, takeIn: () => Promise<void>): Promise<void> {
    await this.clock.timeout(WAIT_MS, this.handled(key).promise, undefined);
    await takeIn();
  }

  private handled(key: string): PromiseWithResolvers<void> {
    const known = this.messages.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.messages.keys();
    if (this.messages.size >= MAX_KNOWN && oldest !== undefined) this.messages.delete(oldest);
    const handled = Promise.withResolvers<void>();
    this.messages.set(key, handled);
    return handled;
  }
}
