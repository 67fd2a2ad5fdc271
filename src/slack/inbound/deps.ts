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
import type { Store } from '../../store/store.ts';
import type { ReadyWorkspace, Workspace } from '../workspace/workspace.ts';

/** What listeners work with, whatever the workspace. */
export interface SharedDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => AnyJobContext;
  /** An event tells that an installation, or its token, has ended. */
  readonly onEnded: (body: unknown) => Promise<void>;
}

/**
 * The same, in the workspace of the request: the one that the program is installed in. People of others come with the
 * id of theirs.
 */
export interface ListenerDeps extends SharedDeps, ReadyWorkspace {}

/** The same in a workspace that may not be set up. */
export interface AnyWorkspaceDeps extends SharedDeps, Workspace {}

/** What Bolt hands to the listener of a command, of a button, of a form. */
export type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;
export type PressArgs = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;
export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;
