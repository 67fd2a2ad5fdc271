import { z } from 'zod';

/** The workspace in which a request was made. */
export interface RequestTeam {
  readonly teamId: string;
  /** The organisation that has installed the app for its workspaces; null: the workspace has installed it. */
  readonly organisationId: string | null;
  /** Whether Slack says that the workspace belongs to the organisation; else it may be that of a person from elsewhere. */
  readonly isSure: boolean;
}

/** What is empty or no id is ignored: another field may have the id. */
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
 * The workspace of the installation that was sent this, or null. Not that of the person: `team_id` of an event and
 * `team` of an action in a form may be theirs.
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

/** For members of an organisation, Slack may name the organisation in place of a workspace. */
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
