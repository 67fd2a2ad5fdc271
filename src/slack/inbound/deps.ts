import type {
  AllMiddlewareArgs,
  BlockButtonAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
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
  /** What became of the workspace's requests of the last days. */
  readonly reportOf: (teamId: string, projectIds: readonly string[]) => Promise<MadeReport>;
  /** The recipes that the settings have for a workspace. */
  readonly recipesOf: (teamId: string) => readonly Recipe[];
  /** Replies may have been missed. */
  readonly lookForMissed: () => void;
  /**
   * Whether another program, which has the same tokens and another store, gets a share of the requests. Finds it out
   * again, unless that was done after this time; null: says what is known.
   */
  readonly isSharedSince: (sinceMs: number | null) => Promise<boolean>;
  /** An event says that an installation, or its token, has ended. */
  readonly onEnded: (body: unknown) => Promise<void>;
}

/**
 * The same, in the workspace of the request: the one where the app is installed. Users from other workspaces carry
 * their own team id.
 */
export interface ListenerDeps extends SharedDeps, ReadyWorkspace {}

export interface AnyWorkspaceDeps extends SharedDeps, Workspace {}

/** What Bolt hands to the listener of a command, of a button, of a form. */
export type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;
export type PressArgs = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;
export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;
