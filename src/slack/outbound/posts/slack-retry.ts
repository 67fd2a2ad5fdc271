import { retryDelayMs } from '../../../jobs/schedule.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';

/** Whatever Slack says: a retry at once, over and over, would be a busy loop. */
const SHORTEST_WAIT_MS = 1_000;
/** A person waits, also after a long outage. */
const LONGEST_WAIT_MS = 60_000;
/** After this time, a post that meets an error that should pass, or that is not known, counts as refused. */
export const HELD_FOR_MS = 6 * 3_600_000;
/** A week. What is only drawn, or read, holds nobody up, and nobody is told when it is given up. */
const TRIES_WHILE_HELD = (7 * 86_400_000) / LONGEST_WAIT_MS;

/** How long a task waits after Slack failed: as long as Slack asked for, or longer from time to time. */
export function slackRetryMs(task: ClaimedTask, failure: SlackFailure): number {
  const delayMs = Math.min(retryDelayMs(task.attempts + 1, Math.random()), LONGEST_WAIT_MS);
  return Math.max(failure.retryAfterMs ?? delayMs, SHORTEST_WAIT_MS);
}

/** Whether another try is of no use. For tasks whose calls are not in the ledger. */
export function isHopeless({ attempts }: ClaimedTask, { outcome, isPassing }: SlackFailure): boolean {
  return outcome === 'refused' || (isPassing && attempts >= TRIES_WHILE_HELD);
}
