import type { EngineTools } from '../../engine/tools.ts';
import type { Workspaces } from '../workspace/workspace.ts';
import type { Surroundings } from './refresh/refresh-home.ts';

/** What the handlers of tasks in Slack work with. */
export interface SlackTools extends EngineTools {
  /** Each job is worked on in its own. */
  readonly workspaces: Workspaces;
  /** In characters. */
  readonly promptMaxLength: number;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly surroundings: Surroundings;
}
