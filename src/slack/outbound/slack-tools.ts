import type { EngineTools } from '../../engine/tools.ts';
import type { Job } from '../../jobs/job.ts';
import { LONGEST_RETRY_MS, retryDelayMs, spread } from '../../jobs/schedule/schedule.ts';
import type { ClaimedTask } from '../../store/store.ts';
import { isPlaceClosed } from '../protocol/error-codes.ts';
import type { SlackFailure } from '../workspace/web-api/failure.ts';
import type { Known, Workspaces } from '../workspace/workspace.ts';

export interface SlackTools extends EngineTools {
  /** By team id; a job uses its team's. */
  readonly workspaces: Workspaces;
  /** In characters. */
  readonly promptMaxLength: number;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly known: Known;
  /**
   * Shows the job's state outside of the card, where Slack has a place for it. Waits for nothing, and never
   * fails.
   */
  readonly showChanged: (job: Job) => void;
}

/** Even if Slack asks for less: that would be a busy loop. */
const SHORTEST_WAIT_MS = 1_000;
/** After that, a post that still meets a passing or unknown error counts as refused. */
export const HELD_FOR_MS = 6 * 3_600_000;
/** A week. Projections and reads hold nothing up, and are given up silently. */
const TRIES_WHILE_HELD = (7 * 86_400_000) / LONGEST_RETRY_MS;

/** A place closed for a moment is tried again soon; without an event that it is open, once an hour. */
const FIRST_LOOK_AT_PLACE_MS = 5_000;
const LONGEST_LOOK_AT_PLACE_MS = 3_600_000;
const DOUBLINGS = 10;
/** What waits for a closed place is given up after a week. */
export const PLACE_WAITED_FOR_MS = 7 * 86_400_000;
const TRIES_WHILE_CLOSED = DOUBLINGS + PLACE_WAITED_FOR_MS / LONGEST_LOOK_AT_PLACE_MS;

/** How long a task waits after Slack failed: as long as Slack asked for, or longer if it keeps failing. */
export function slackRetryMs(task: ClaimedTask, failure: SlackFailure): number {
  if (isClosed(failure)) {
    const doubledMs = FIRST_LOOK_AT_PLACE_MS * 2 ** Math.min(task.attempts, DOUBLINGS);
    return Math.min(doubledMs, LONGEST_LOOK_AT_PLACE_MS) * spread(Math.random());
  }
  const delayMs = retryDelayMs(task.attempts + 1, Math.random());
  return Math.max(failure.retryAfterMs ?? delayMs, SHORTEST_WAIT_MS);
}

/** Whether another try is pointless. For tasks whose calls are not in the ledger. */
export function isHopeless({ attempts }: ClaimedTask, failure: SlackFailure): boolean {
  if (isClosed(failure)) return attempts >= TRIES_WHILE_CLOSED;
  return failure.outcome === 'refused' || (failure.isPassing && attempts >= TRIES_WHILE_HELD);
}

function isClosed({ outcome, code }: SlackFailure): boolean {
  return outcome === 'refused' && isPlaceClosed(code);
}
