import { z } from 'zod';
import { StoreError } from '#store/engines/database.ts';
import type { StoredInstallation } from '#store/queries/workspaces.ts';
import type { Store } from '#store/store.ts';
import { noToken } from '../workspace/caller.ts';
import { cachedLookup, putNewest } from '../workspace/names.ts';
import {
  createWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspaceSettings,
  type Workspaces,
} from '../workspace/workspace.ts';
import { type Vault, VaultError } from './vault.ts';

/** Ignores empty or malformed ids: another field may have one. */
const id = z.string().min(1).nullish().catch(null);
const flag = z.union([z.boolean(), z.stringbool()]).nullish().catch(null);
const team = z.object({ id, enterprise_id: id }).nullish().catch(null);

export const requestBody = z.object({
  team_id: id,
  enterprise_id: id,
  context_team_id: id,
  is_enterprise_install: flag,
  authorizations: z
    .array(z.object({ team_id: id, enterprise_id: id, is_enterprise_install: flag }))
    .nullish(),
  team,
  enterprise: team,
  view: z.object({ app_installed_team_id: id, team_id: id }).nullish().catch(null),
  user: z.object({ team_id: id }).nullish().catch(null),
  command: z.string().nullish(),
});

/**
 * The installation's workspace: an event's `team_id`, and the `team` of an action in a form, may be the
 * person's. `organisationId`: null: the workspace installed the app. `isSure`: Slack says that the workspace
 * belongs to the organisation.
 */
export function requestTeam(body: unknown) {
  const { data } = requestBody.safeParse(body);
  if (data === undefined) return null;
  const { team: where, view, enterprise } = data;
  const [authorized] = data.authorizations ?? [];
  const teamId = [
    authorized?.team_id,
    data.context_team_id,
    view?.app_installed_team_id,
    where?.id,
    data.team_id,
    view?.team_id,
    data.user?.team_id,
    // Slack may name an organisation instead of a workspace.
  ].find((candidate) => candidate != null && !candidate.startsWith('E'));
  if (teamId == null) return null;
  const isOrganisations = authorized?.is_enterprise_install ?? data.is_enterprise_install ?? false;
  const named = authorized?.enterprise_id ?? enterprise?.id ?? data.enterprise_id ?? where?.enterprise_id;
  const organisationId = (isOrganisations && named) || null;
  const isOwn = () =>
    teamId === where?.id && organisationId !== null && where.enterprise_id === organisationId;
  const isTheCommands = data.command == null ? isOwn() : teamId === data.team_id;
  const isSure = authorized ? [authorized.team_id, data.context_team_id].includes(teamId) : isTheCommands;
  return { teamId, organisationId, isSure };
}

/** How long another replica may miss the start or end of an installation. */
const FRESH_MS = 3_000;
const STORE_AWAY_MS = 2_000;

export type InstalledWorkspaces = ReturnType<typeof installedWorkspaces>;

export function installedWorkspaces(
  { store, ...parts }: WorkspaceParts & { readonly store: Store },
  vault: Vault,
  workspaceSettings: (teamId: string) => WorkspaceSettings | null,
) {
  const known = new Map<string, { installation: StoredInstallation | null; workspace: Workspace }>();

  const inStore = (teamId: string) =>
    store.transaction(async (tx) => {
      const own = await tx.installations.get(teamId);
      if (own !== null) return own;
      const organisationId = await tx.installations.organisationOf(teamId);
      return organisationId === null ? null : tx.installations.get(organisationId);
    });
  /** Its `get` throws StoreError if the store is down and nothing is cached. */
  const lookup = cachedLookup(inStore, parts.clock, { freshMs: FRESH_MS });

  const tokenOf = async (teamId: string) => {
    const installation = await lookup.get(teamId).catch((error: unknown) => {
      if (error instanceof StoreError) throw noToken('store_away', { retryAfterMs: STORE_AWAY_MS });
      throw error;
    });
    if (installation === null) throw noToken('not_installed');
    const { id, token } = installation;
    try {
      return vault.open(id, token);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      parts.log.error('token_not_readable', { installation_id: id, key_id: token.keyId });
      throw noToken('token_not_readable');
    }
  };

  /** Reused: it caches people and Slack's limits. */
  const workspaceOf = (teamId: string, installation: StoredInstallation | null) => {
    const before = known.get(teamId);
    const isSame =
      before?.installation?.id === installation?.id &&
      before?.installation?.installedAtMs === installation?.installedAtMs;
    if (before !== undefined && isSame) return before.workspace;
    const unknown = { botUserId: '', botId: '', enterpriseId: null, workspaceUrl: null };
    const { botUserId, botId, enterpriseId, workspaceUrl } = installation ?? unknown;
    const isInstalled = installation !== null;
    const identity = { teamId, isInstalled, botUserId, botId, enterpriseId, workspaceUrl };
    const workspace = createWorkspace(parts, identity, () => tokenOf(teamId), workspaceSettings(teamId));
    putNewest(known, teamId, { installation, workspace });
    return workspace;
  };

  const workspaces: Workspaces = {
    of: async (teamId) => workspaceOf(teamId, await lookup.get(teamId)),
    ofRequest: async (body) => {
      const named = requestTeam(body);
      if (named === null) return workspaceOf('', null);
      const { teamId, organisationId, isSure } = named;
      const found = await lookup.get(teamId);
      if (found !== null || organisationId === null || !isSure) return workspaceOf(teamId, found);
      await store.transaction(async (tx) => {
        const organisation = await tx.installations.get(organisationId);
        if (organisation?.isOrganisation) await tx.installations.rememberOrganisation(teamId, organisationId);
      });
      lookup.forget(teamId);
      return workspaceOf(teamId, await lookup.get(teamId));
    },
  };
  return { ...workspaces, forget: lookup.forget };
}
