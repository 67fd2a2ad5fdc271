import { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Store } from '../../store/store.ts';
import { cachedLookup } from '../workspace/web-api/names.ts';

export interface RequestTeam {
  readonly teamId: string;
  /** The organisation that installed the app for its workspaces; null: the workspace did. */
  readonly organisationId: string | null;
  /**
   * Whether Slack says that the workspace belongs to the organisation; otherwise it may be an outside
   * person's.
   */
  readonly isSure: boolean;
}

/** Empty or malformed ids are ignored: another field may have the id. */
const id = z.string().min(1).nullish().catch(null);
const flag = z.union([z.boolean(), z.stringbool()]).nullish().catch(null);
const team = z.object({ id, enterprise_id: id }).nullish().catch(null);
const authorization = z.object({ team_id: id, enterprise_id: id, is_enterprise_install: flag });

const payload = z.object({
  team_id: id,
  enterprise_id: id,
  context_team_id: id,
  is_enterprise_install: flag,
  authorizations: z.array(authorization).nullish(),
  team,
  enterprise: team,
  view: z.object({ app_installed_team_id: id, team_id: id }).nullish().catch(null),
  user: z.object({ team_id: id }).nullish().catch(null),
  command: z.string().nullish(),
});

/**
 * The workspace of the installation that received this, or null. Not the person's: an event's `team_id`, and
 * the `team` of an action in a form, may be theirs.
 */
export function requestTeam(body: unknown): RequestTeam | null {
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
    // For members of an organisation, Slack may name the organisation instead of a workspace.
  ].find((candidate) => candidate != null && !candidate.startsWith('E'));
  if (teamId == null) return null;
  const isOrganisations = authorized?.is_enterprise_install ?? data.is_enterprise_install ?? false;
  const named = authorized?.enterprise_id ?? enterprise?.id ?? data.enterprise_id ?? where?.enterprise_id;
  const organisationId = (isOrganisations && named) || null;
  const isSure = () => {
    if (authorized !== undefined) return teamId === authorized.team_id || teamId === data.context_team_id;
    if (data.command != null) return teamId === data.team_id;
    return teamId === where?.id && organisationId !== null && where.enterprise_id === organisationId;
  };
  return { teamId, organisationId, isSure: isSure() };
}

/** How long another replica may not know that an installation began or ended. */
const FRESH_MS = 3_000;
const MAX_TEAMS = 5_000;

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(store: Store, clock: Clock) {
  const inStore = (teamId: string) =>
    store.transaction(async (tx) => {
      const own = await tx.installations.get(teamId);
      if (own !== null) return own;
      const organisationId = await tx.installations.organisationOf(teamId);
      return organisationId === null ? null : tx.installations.get(organisationId);
    });
  const lookup = cachedLookup(inStore, clock, { freshMs: FRESH_MS, max: MAX_TEAMS });
  return {
    /** Null if there is none. Throws StoreError if the store is away and nothing is known. */
    find: lookup.get,
    /** The same; remembers if an organisation's installation turns out to serve the workspace. */
    findFor: async ({ teamId, organisationId, isSure }: RequestTeam) => {
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
