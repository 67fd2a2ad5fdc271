import type { AgentClient } from '../agent/client.ts';
import type { AnyJobContext } from '../jobs/decision.ts';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import type { Access } from '../slack/access.ts';
import type { Poster } from '../slack/calls/poster.ts';
import type { SnippetReader } from '../slack/calls/snippet-reader.ts';
import type { Users } from '../slack/calls/users.ts';
import type { Store } from '../store/store.ts';
import type { ReadLimiter } from './read-limiter.ts';
import type { Surroundings } from './refresh/refresh-home.ts';

/** What the handlers of tasks work with. */
export interface Tools {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly agent: AgentClient;
  readonly poster: Poster;
  readonly names: Users;
  readonly access: Access;
  readonly snippets: SnippetReader;
  /** In characters. */
  readonly promptMaxLength: number;
  readonly reads: ReadLimiter;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly botUserId: string;
  readonly surroundings: Surroundings;
  /** Aborted when the program stops: what has not begun is left to the next process. */
  readonly stopping: AbortSignal;
  readonly newContext: () => AnyJobContext;
}
