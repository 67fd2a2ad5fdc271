import type { Logger as BoltLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { fetchInTime } from './fetch-in-time.ts';

const CALL_TIMEOUT_MS = 10_000;

/**
 * A client that sends each request once: the SDK's own retries would double posts, and its waiting at a rate
 * limit would hold up every channel. Retries are the due queue's business.
 */
export function createPostingClient(apiUrl: string | null, logger: BoltLogger): WebClient {
  return new WebClient(undefined, {
    ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
    logger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_TIMEOUT_MS,
    fetch: fetchInTime(),
  });
}
