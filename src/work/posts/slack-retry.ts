import { retryDelayMs } from '../../jobs/schedule.ts';
import type { SlackFailure } from '../../slack/calls/failure.ts';
import type { ClaimedTask } from '../../store/store.ts';

/** Whatever Slack says: a retry at once, over and over, would be a busy loop. */
const SHORTEST_WAIT_MS = 1_000;

/** How long a task waits after Slack failed: as long as Slack asked for, or longer from time to time. */
export function slackRetryMs(task: ClaimedTask, failure: SlackFailure): number {
  const waitMs = failure.retryAfterMs ?? retryDelayMs(task.attempts + 1, Math.random());
  return Math.max(waitMs, SHORTEST_WAIT_MS);
}
