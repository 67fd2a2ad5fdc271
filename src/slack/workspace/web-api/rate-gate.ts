import { isWaitOn } from '../../../jobs/schedule/schedule.ts';
import { LONGEST_RETRY_AFTER_MS } from './failure.ts';

/** Slack takes about one message a second in a channel, and 50 calls a minute of most other methods. */
const POST_SPACING_MS = 1_000;
const CALL_SPACING_MS = 1_200;

interface Hold {
  readonly untilMs: number;
  waiting: number;
}

/**
 * Holds a method back after a 429 (for one channel, if it posts) until the time that Slack named. Callers in between get
 * times of their own, so that they do not all return at once. https://docs.slack.dev/apis/web-api/rate-limits
 */
export class RateGate {
  private readonly holds = new Map<string, Hold>();

  /** How long a call has to wait; 0: it may go out. */
  waitMs(method: string, channelId: string | null, nowMs: number): number {
    const hold = this.holds.get(keyOf(method, channelId));
    if (hold === undefined || !isWaitOn(hold.untilMs, LONGEST_RETRY_AFTER_MS, nowMs)) return 0;
    return takeTurn(hold, method, nowMs);
  }

  /** Slack limited this call. Returns how long it has to wait. */
  hold(method: string, channelId: string | null, untilMs: number, nowMs: number): number {
    for (const [key, hold] of this.holds) {
      if (!isWaitOn(hold.untilMs, LONGEST_RETRY_AFTER_MS, nowMs)) this.holds.delete(key);
    }
    const key = keyOf(method, channelId);
    const before = this.holds.get(key);
    const hold = { untilMs: Math.max(untilMs, before?.untilMs ?? 0), waiting: before?.waiting ?? 0 };
    this.holds.set(key, hold);
    // Calls that met the limit return first, and one by one, too.
    return takeTurn(hold, method, nowMs);
  }
}

function takeTurn(hold: Hold, method: string, nowMs: number): number {
  const spacingMs = isPost(method) ? POST_SPACING_MS : CALL_SPACING_MS;
  const waitMs = hold.untilMs - nowMs + hold.waiting * spacingMs;
  hold.waiting += 1;
  return waitMs;
}

function keyOf(method: string, channelId: string | null): string {
  return isPost(method) ? `${method} ${channelId ?? ''}` : method;
}

function isPost(method: string): boolean {
  return method === 'chat.postMessage';
}
