import { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
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
type Payload = z.infer<typeof payload>;

/**
 * The workspace of the installation that received this, or null. Not the person's: an event's `team_id`, and
 * the `team` of an action in a form, may be theirs.
 */
export function requestTeam(body: unknown): RequestTeam | null {
  const parsed = payload.safeParse(body);
  if (!parsed.success) return null;
  const { data } = parsed;
  const [authorized] = data.authorizations ?? [];
  const teamId = [
    authorized?.team_id,
    data.context_team_id,
    data.view?.app_installed_team_id,
    data.team?.id,
    data.team_id,
    data.view?.team_id,
    data.user?.team_id,
  ].find(isWorkspace);
  if (teamId == null) return null;
  const isOrganisations = authorized?.is_enterprise_install ?? data.is_enterprise_install ?? false;
  const organisationId = isOrganisations ? organisationOf(data) : null;
  return { teamId, organisationId, isSure: isItsWorkspace(teamId, organisationId, data) };
}

/** For members of an organisation, Slack may name the organisation instead of a workspace. */
function isWorkspace(candidate: string | null | undefined): boolean {
  return candidate != null && !candidate.startsWith('E');
}

function organisationOf({ authorizations, enterprise, enterprise_id, team: where }: Payload): string | null {
  return (
    authorizations?.[0]?.enterprise_id ?? enterprise?.id ?? enterprise_id ?? where?.enterprise_id ?? null
  );
}

function isItsWorkspace(teamId: string, organisationId: string | null, data: Payload): boolean {
  const [authorized] = data.authorizations ?? [];
  if (authorized !== undefined) return teamId === authorized.team_id || teamId === data.context_team_id;
  if (data.command != null) return teamId === data.team_id;
  return teamId === data.team?.id && organisationId !== null && data.team.enterprise_id === organisationId;
}

/** How long another replica may not know that an installation began or ended. */
const FRESH_MS = 3_000;
const MAX_TEAMS = 5_000;

export interface Directory {
  /** Null if there is none. Throws StoreError if the store is away and nothing is known. */
  find(teamId: string): Promise<StoredInstallation | null>;
  /** The same; remembers if an organisation's installation turns out to serve the workspace. */
  findFor(team: RequestTeam): Promise<StoredInstallation | null>;
  forget(teamId: string): void;
}

export function createDirectory(store: Store, clock: Clock): Directory {
  const inStore = (teamId: string) =>
    store.transaction(async (tx) => {
      const own = await tx.installations.get(teamId);
      if (own !== null) return own;
      const organisationId = await tx.installations.organisationOf(teamId);
      return organisationId === null ? null : tx.installations.get(organisationId);
    });
  const lookup = cachedLookup(inStore, clock, { freshMs: FRESH_MS, max: MAX_TEAMS });
  return {
    find: (teamId) => lookup.get(teamId),
    findFor: async ({ teamId, organisationId, isSure }) => {
      const found = await lookup.get(teamId);
      if (found !== null || organisationId === null || !isSure) return found;
      await store.transaction(async (tx) => {
        const organisation = await tx.installations.get(organisationId);
        if (organisation?.isOrganisation) await tx.installations.rememberOrganisation(teamId, organisationId);
      });
      lookup.forget(teamId);
      return lookup.get(teamId);
    },
    forget: (teamId) => lookup.forget(teamId),
  };
}
