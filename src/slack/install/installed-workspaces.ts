import { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import { StoreError } from '../../store/engines/database.ts';
import type { StoredInstallation } from '../../store/queries/workspaces.ts';
import type { Store } from '../../store/store.ts';
import { notInstalled, SlackCallError, slackFailure } from '../workspace/web-api/failure.ts';
import { cachedLookup } from '../workspace/web-api/names.ts';
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

const payload = z.object({
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
  const { data } = payload.safeParse(body);
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
const MAX_WORKSPACES = 5_000;

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(store: Store, clock: Clock) {
  const inStore = (teamId: string) =>
    store.transaction(async (tx) => {
      const own = await tx.installations.get(teamId);
      if (own !== null) return own;
      const organisationId = await tx.installations.organisationOf(teamId);
      return organisationId === null ? null : tx.installations.get(organisationId);
    });
  const lookup = cachedLookup(inStore, clock, { freshMs: FRESH_MS, max: MAX_WORKSPACES });
  return {
    /** Throws StoreError if the store is down and nothing is cached. */
    find: lookup.get,
    /** Stores which organisation's installation serves the workspace. */
    findFor: async ({ teamId, organisationId, isSure }: Exclude<ReturnType<typeof requestTeam>, null>) => {
      const found = await lookup.get(teamId);
      if (found !== null || organisationId === null || !isSure) return found;
      await store.transaction(async (tx) => {
        const organisation = await tx.installations.get(organisationId);
        if (organisation?.isOrganisation) await tx.installations.rememberOrganisation(teamId, organisationId);
      });
      lookup.forget(teamId);
      return lookup.get(teamId);
    },
    forget: lookup.forget,
  };
}

const STORE_AWAY_MS = 2_000;

export function installedWorkspaces(
  parts: WorkspaceParts,
  directory: Directory,
  vault: Vault,
  settingsOf: (teamId: string) => WorkspaceSettings | null,
): Workspaces {
  const known = new Map<string, { installation: StoredInstallation | null; workspace: Workspace }>();

  const tokenOf = async (teamId: string) => {
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

  /** Reused: it caches people and Slack's limits. */
  const workspaceOf = (teamId: string, installation: StoredInstallation | null) => {
    const before = known.get(teamId);
    const isSame =
      before?.installation?.id === installation?.id &&
      before?.installation?.installedAtMs === installation?.installedAtMs;
    if (before !== undefined && isSame) return before.workspace;
    const unknown = { botUserId: '', botId: '', enterpriseId: null, workspaceUrl: null };
    const { botUserId, botId, enterpriseId, workspaceUrl } = installation ?? unknown;
    const bot = { botUserId, botId, enterpriseId, workspaceUrl };
    const identity = { ...bot, teamId, isInstalled: installation !== null };
    const workspace = createWorkspace(parts, identity, () => tokenOf(teamId), settingsOf(teamId));
    known.delete(teamId);
    const [oldest] = known.keys();
    if (known.size >= MAX_WORKSPACES && oldest !== undefined) known.delete(oldest);
    known.set(teamId, { installation, workspace });
    return workspace;
  };

  return {
    of: async (teamId) => workspaceOf(teamId, await directory.find(teamId)),
    ofRequest: async (body) => {
      const team = requestTeam(body);
      return team === null ? workspaceOf('', null) : workspaceOf(team.teamId, await directory.findFor(team));
    },
  };
}

/** Without `retryAfterMs`, the pauses grow. */
function tokenError(code: string, how: { retryAfterMs?: number; needsAdmin?: boolean }) {
  return new SlackCallError('token', slackFailure('retry', code, how));
}
