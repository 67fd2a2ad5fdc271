import type { AnyJobContext } from '../jobs/decision.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/logger.ts';

/** What the handlers of all tasks work with. */
export interface EngineTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the program stops: what has not begun is left to the next process. */
  readonly stopping: AbortSignal;
  readonly newContext: () => AnyJobContext;
}
