import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import {
  createWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspaceSettings,
  type Workspaces,
} from '../workspace/workspace.ts';
import type { TokenOf } from './bot-tokens.ts';
import type { Directory } from './directory.ts';
import { requestTeam } from './request-team.ts';

const MAX_WORKSPACES = 5_000;

interface Known {
  readonly installation: StoredInstallation | null;
  readonly workspace: Workspace;
}

/** The workspaces that have installed the app. `settingsOf`: null for one that the operator has not set up. */
export function installedWorkspaces(
  parts: WorkspaceParts,
  directory: Directory,
  tokenOf: TokenOf,
  settingsOf: (teamId: string) => WorkspaceSettings | null,
): Workspaces {
  const known = new Map<string, Known>();

  /** The same object for as long as it is the same installation: it caches people, and knows Slack's limits. */
  const workspace = (teamId: string, installation: StoredInstallation | null): Workspace => {
    const before = known.get(teamId);
    if (before !== undefined && isSame(before.installation, installation)) return before.workspace;
    const identity = identityOf(teamId, installation);
    const made = createWorkspace(parts, identity, () => tokenOf(teamId), settingsOf(teamId));
    known.delete(teamId);
    const [oldest] = known.keys();
    if (known.size >= MAX_WORKSPACES && oldest !== undefined) known.delete(oldest);
    known.set(teamId, { installation, workspace: made });
    return made;
  };

  return {
    of: async (teamId) => workspace(teamId, await directory.find(teamId)),
    ofRequest: async (body) => {
      const team = requestTeam(body);
      return team === null ? workspace('', null) : workspace(team.teamId, await directory.findFor(team));
    },
  };
}

function isSame(one: StoredInstallation | null, other: StoredInstallation | null): boolean {
  return one?.id === other?.id && one?.installedAtMs === other?.installedAtMs;
}

function identityOf(teamId: string, installation: StoredInstallation | null) {
  return {
    teamId,
    isInstalled: installation !== null,
    botUserId: installation?.botUserId ?? '',
    botId: installation?.botId ?? '',
    enterpriseId: installation?.enterpriseId ?? null,
    workspaceUrl: installation?.workspaceUrl ?? null,
  };
}
