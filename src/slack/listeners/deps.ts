import type { DecisionContext } from '../../jobs/decision.ts';
import type { Project } from '../../jobs/project.ts';
import type { Clock } from '../../operations/clock.ts';
import type { Logger } from '../../operations/logger.ts';
import type { Store } from '../../store/store.ts';

/** What listeners work with. */
export interface ListenerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => DecisionContext;
  /** The projects that a job can belong to; the first is the default. */
  readonly projects: readonly [Project, ...Project[]];
}
