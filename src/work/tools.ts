import type { AgentClient } from '../agent/client.ts';
import type { AnyJobContext } from '../jobs/decision.ts';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import type { Workspaces } from '../slack/workspaces/workspace.ts';
import type { Store } from '../store/store.ts';
import type { AnsweredJobs } from './checks/answered-jobs.ts';
import type { Surroundings } from './refresh/refresh-home.ts';

/** What the handlers of tasks work with. */
export interface Tools {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly agent: AgentClient;
  /** Each job is worked on in its own. */
  readonly workspaces: Workspaces;
  /** In characters. */
  readonly promptMaxLength: number;
  /** Of each project, by all replicas together. */
  readonly readsPerMinute: number;
  readonly answered: AnsweredJobs;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly surroundings: Surroundings;
  /** How many gestures Slack, or a person, waits for. */
  readonly gesturesInHand: () => number;
  /** Aborted when the program stops: what has not begun is left to the next process. */
  readonly stopping: AbortSignal;
  readonly newContext: () => AnyJobContext;
}
