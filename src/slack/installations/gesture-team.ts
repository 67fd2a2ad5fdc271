import { z } from 'zod';

/** In which workspace the program is spoken to. */
export interface GestureTeam {
  readonly teamId: string;
  /** The organisation that the app is installed in for all its workspaces; null: it is the workspace's own. */
  readonly organisationId: string | null;
  /** Whether Slack says so of the installation, and not of who acted. */
  readonly isSure: boolean;
}

const id = z.string().min(1).nullish();
const flag = z.union([z.boolean(), z.stringbool()]).nullish();
const team = z.object({ id }).nullish().catch(null);
const authorization = z.object({ team_id: id, enterprise_id: id, is_enterprise_install: flag });

const payload = z.object({
  team_id: id,
  enterprise_id: id,
  context_team_id: id,
  is_enterprise_install: flag,
  authorizations: z.array(authorization).nullish(),
  team,
  enterprise: team,
  view: z.object({ app_installed_team_id: id }).nullish().catch(null),
  user: z.object({ team_id: id }).nullish().catch(null),
  command: z.string().nullish(),
});

/**
 * Where the app is installed that was sent this, or null. Not where the person is from: `team_id` of an event and
 * `team` of what is done in a form may be theirs.
 */
export function gestureTeam(body: unknown): GestureTeam | null {
  const parsed = payload.safeParse(body);
  if (!parsed.success) return null;
  const { data } = parsed;
  const [authorized] = data.authorizations ?? [];
  const teamId =
    authorized?.team_id ??
    data.context_team_id ??
    data.view?.app_installed_team_id ??
    data.team?.id ??
    data.team_id ??
    data.user?.team_id;
  if (teamId == null) return null;
  const isOrganisations = authorized?.is_enterprise_install ?? data.is_enterprise_install ?? false;
  const enterpriseId = authorized?.enterprise_id ?? data.enterprise?.id ?? data.enterprise_id ?? null;
  const isSure = authorized !== undefined || data.command != null;
  return { teamId, organisationId: isOrganisations ? enterpriseId : null, isSure };
}
