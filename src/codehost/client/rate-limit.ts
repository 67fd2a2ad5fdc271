import { type AnswerHead, parseRetryAfterMs } from '../../engine/runtime/exchange.ts';
import { isWaitOn } from '../../jobs/schedule/schedule.ts';

/** What is left to others who use the same account: with less than this share of the limit, nobody asks any more. */
const LEFT_TO_OTHERS = 0.5;
/** What GitHub asks for when it does not say when the limit ends. */
const DEFAULT_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** What one account may still ask of a code host, as the host says with each answer. */
export class RateLimit {
  #waitUntilMs = 0;
  #remaining: number | null = null;

  /** How long nothing may be asked; 0: now. */
  waitMs(nowMs: number): number {
    return isWaitOn(this.#waitUntilMs, LONGEST_WAIT_MS, nowMs) ? this.#waitUntilMs - nowMs : 0;
  }

  /** Requests until the limit starts again; null: the host has not said. */
  get remaining(): number | null {
    return this.#remaining;
  }

  /** @param isRefusal the answer says that there were too many requests */
  note({ headers }: AnswerHead, isRefusal: boolean, nowMs: number): void {
    const limit = wholeNumber(headers['x-ratelimit-limit'] ?? headers['ratelimit-limit']);
    const remaining = wholeNumber(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);
    const resetS = wholeNumber(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
    this.#remaining = remaining ?? this.#remaining;
    const { date, 'retry-after': retryAfter } = headers;
    // By the host's clock, if it tells it.
    const serverMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    const resetInMs = resetS === null ? null : resetS * 1000 - (Number.isNaN(serverMs) ? nowMs : serverMs);
    if (isRefusal) {
      const askedMs = parseRetryAfterMs(retryAfter, date, nowMs, LONGEST_WAIT_MS);
      this.#wait(askedMs ?? (remaining === 0 ? resetInMs : null) ?? DEFAULT_WAIT_MS, nowMs);
    } else if (limit !== null && remaining !== null && remaining < limit * LEFT_TO_OTHERS) {
      this.#wait(resetInMs ?? DEFAULT_WAIT_MS, nowMs);
    }
  }

  #wait(waitMs: number, nowMs: number): void {
    const boundedMs = Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS);
    this.#waitUntilMs = nowMs + Math.max(this.waitMs(nowMs), boundedMs);
  }
}

/** GitHub says 403 as well as 429. */
export function isAtLimit({ status, headers }: AnswerHead, body: string | null): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit|abuse detection/i.test(body ?? ''))
  );
}

function wholeNumber(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
