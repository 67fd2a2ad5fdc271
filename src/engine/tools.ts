import type { AgentClient } from '../agent/client/client.ts';
import type { AnsweredJobs } from '../agent/effects/answered-jobs.ts';
import type { Logger } from '../app/operations/logger.ts';
import type { AnyJobContext } from '../jobs/decision.ts';
import type { Surroundings } from '../slack/outbound/refresh/refresh-home.ts';
import type { Workspaces } from '../slack/workspace/workspace.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './runtime/clock.ts';

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
