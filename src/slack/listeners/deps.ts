import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Projects } from '../../jobs/project.ts';
import type { Clock } from '../../operations/clock.ts';
import type { Logger } from '../../operations/logger.ts';
import type { Store } from '../../store/store.ts';
import type { Access } from '../access.ts';
import type { Poster } from '../calls/poster.ts';
import type { Users } from '../calls/users.ts';

/** What listeners work with. */
export interface ListenerDeps {
  /** The workspace that the program is installed in. People of others come with the id of theirs. */
  readonly teamId: string;
  readonly poster: Poster;
  readonly access: Access;
  readonly names: Users;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => AnyJobContext;
  /** With a slash at its end; null if Slack does not say. */
  readonly workspaceUrl: string | null;
  /** The projects that a job can belong to; the first is the default. */
  readonly projects: Projects;
}
