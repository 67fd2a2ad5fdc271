import type { DecisionContext } from '../../jobs/decision.ts';
import type { Clock } from '../../operations/clock.ts';
import type { Logger } from '../../operations/logger.ts';
import type { Store } from '../../store/store.ts';

/** What listeners work with. */
export interface ListenerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => DecisionContext;
  /** The project that new jobs belong to. */
  readonly projectId: string;
}
