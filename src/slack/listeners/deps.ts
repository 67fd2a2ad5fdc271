import type { DecisionContext } from '../../jobs/decision.ts';
import type { Project } from '../../jobs/project.ts';
import type { Clock } from '../../operations/clock.ts';
import type { Logger } from '../../operations/logger.ts';
import type { Store } from '../../store/store.ts';
import type { Access } from '../access.ts';
import type { Poster } from '../poster.ts';

/** What listeners work with. */
export interface ListenerDeps {
  readonly poster: Poster;
  readonly access: Access;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => DecisionContext;
  /** The projects that a job can belong to; the first is the default. */
  readonly projects: readonly [Project, ...Project[]];
}
