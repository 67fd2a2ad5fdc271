import { identify, type SlackIdentity } from './identity.ts';
import { createCaller } from './web-api/caller.ts';
import { notInstalled } from './web-api/failure.ts';
import {
  createWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspaceSettings,
  type Workspaces,
} from './workspace.ts';

/** The one workspace that the token is of. Throws SlackCallError if Slack refuses it or cannot be reached. */
export async function oneWorkspace(
  parts: WorkspaceParts,
  token: string,
  settings: WorkspaceSettings,
): Promise<Workspaces & { readonly only: Workspace }> {
  const botToken = async () => token;
  const identity = await identify(createCaller(parts.client, botToken));
  const only = createWorkspace(parts, { ...identity, isInstalled: true }, botToken, settings);
  return {
    only,
    ofRequest: async () => only,
    // The store may hold jobs of a workspace whose token the program had before.
    of: async (teamId) => (teamId === only.teamId ? only : absent(parts, { ...identity, teamId }, settings)),
  };
}

function absent(parts: WorkspaceParts, identity: SlackIdentity, settings: WorkspaceSettings): Workspace {
  return createWorkspace(
    parts,
    { ...identity, isInstalled: false },
    async () => {
      throw notInstalled();
    },
    settings,
  );
}
