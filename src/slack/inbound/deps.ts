import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Recipe } from '../../jobs/recipe.ts';
import type { MadeReport } from '../../jobs/report/report.ts';
import type { Store } from '../../store/store.ts';
import type { Known, ReadyWorkspace, Workspace } from '../workspace/workspace.ts';
import type { TwinEvents } from './messages/twin-events.ts';

export interface SharedDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => AnyJobContext;
  readonly known: Known;
  readonly twinEvents: TwinEvents;
  /** Whether the agent has this job in the project; null: it did not say. */
  readonly agentHasJob: (projectId: string, agentJobId: string) => Promise<boolean | null>;
  readonly reportOf: (teamId: string, projectIds: readonly string[]) => Promise<MadeReport>;
  readonly recipesOf: (teamId: string) => readonly Recipe[];
  /** Replies may have been missed. */
  readonly lookForMissed: () => void;
  /**
   * Whether another program with the same tokens and another store takes a share of the requests. Checks
   * again unless it did after this time; null: returns the last result.
   */
  readonly isSharedSince: (sinceMs: number | null) => Promise<boolean>;
  /** An event says that an installation or its token has ended. */
  readonly onEnded: (body: unknown) => Promise<void>;
}

/**
 * The same, in the workspace where the app is installed. Users from other workspaces carry their own team id.
 */
export interface ListenerDeps extends SharedDeps, ReadyWorkspace {}

export interface AnyWorkspaceDeps extends SharedDeps, Workspace {}
