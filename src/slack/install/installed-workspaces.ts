import { StoreError } from '../../store/engines/connection-turns.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import { notInstalled, SlackCallError, slackFailure } from '../workspace/web-api/failure.ts';
import {
  createWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspaceSettings,
  type Workspaces,
} from '../workspace/workspace.ts';
import { type Directory, requestTeam } from './request-team.ts';
import { type Vault, VaultError } from './vault.ts';

const MAX_WORKSPACES = 5_000;
const STORE_AWAY_MS = 2_000;

interface Known {
  readonly installation: StoredInstallation | null;
  readonly workspace: Workspace;
}

/** The workspaces with the app installed. `settingsOf`: null for one that the operator has not set up. */
export function installedWorkspaces(
  parts: WorkspaceParts,
  directory: Directory,
  vault: Vault,
  settingsOf: (teamId: string) => WorkspaceSettings | null,
): Workspaces {
  const known = new Map<string, Known>();

  /** Throws SlackCallError if no token can be read. */
  const tokenOf = async (teamId: string): Promise<string> => {
    const installation = await directory.find(teamId).catch((error: unknown) => {
      if (error instanceof StoreError) throw tokenError('store_away', { retryAfterMs: STORE_AWAY_MS });
      throw error;
    });
    if (installation === null) throw notInstalled();
    const { id, token } = installation;
    try {
      return vault.open(id, token);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      parts.log.error('token_not_readable', { installation_id: id, key_id: error.keyId });
      throw tokenError('token_not_readable', { needsAdmin: true });
    }
  };

  /** The same object for the life of an installation: it caches people, and knows Slack's limits. */
  const workspace = (teamId: string, installation: StoredInstallation | null): Workspace => {
    const before = known.get(teamId);
    const isSame =
      before?.installation?.id === installation?.id &&
      before?.installation?.installedAtMs === installation?.installedAtMs;
    if (before !== undefined && isSame) return before.workspace;
    const identity = {
      teamId,
      isInstalled: installation !== null,
      botUserId: installation?.botUserId ?? '',
      botId: installation?.botId ?? '',
      enterpriseId: installation?.enterpriseId ?? null,
      workspaceUrl: installation?.workspaceUrl ?? null,
    };
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

/** Without `retryAfterMs`, the pauses grow, since an administrator may take a while. */
function tokenError(code: string, how: { retryAfterMs?: number; needsAdmin?: boolean }): SlackCallError {
  return new SlackCallError('token', slackFailure('retry', code, how), null);
}
