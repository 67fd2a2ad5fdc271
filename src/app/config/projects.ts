import type { AccessRule, Rules } from '../../jobs/policy.ts';
import type { Recipe } from '../../jobs/recipe.ts';
import type { Digest } from '../../jobs/report/report.ts';
import type { Projects } from '../../jobs/requests/project.ts';
import { secret } from './checks.ts';
import type { ConfigFile, NamedSecrets } from './file-schema.ts';
import type { ConfigProblem, Report } from './problems.ts';
import { digestOf, recipesOf } from './recipes.ts';
import { exampleOf, type Settings } from './settings.ts';
import type { SecretOf } from './values.ts';

export interface ConfiguredProjects {
  readonly projects: Projects;
  /** The agent API's keys, by project id. */
  readonly apiKeys: ReadonlyMap<string, string>;
}

export interface WorkspaceSettings extends Rules {
  readonly projects: Projects;
  readonly access: AccessRule;
  readonly recipes: readonly Recipe[];
  readonly digest: Digest | null;
}

/** The file's settings for each workspace, by its id. */
export function workspacesOf(
  { workspaces }: ConfigFile,
  all: Projects,
): ReadonlyMap<string, WorkspaceSettings> {
  const byTeam = new Map<string, WorkspaceSettings>();
  for (const [teamId, workspace] of Object.entries(workspaces)) {
    const { channels, access, admins, notice_channels: noticeChannels } = workspace;
    // In the order of the list; the first is the default.
    const [first, ...others] = workspace.projects.flatMap((name) => all.filter((one) => one.name === name));
    if (first === undefined) continue;
    byTeam.set(teamId, {
      projects: [first, ...others],
      channels,
      access: { ...access, admins },
      noticeChannels,
      recipes: recipesOf(workspace.recipes, admins),
      digest: digestOf(workspace.digest),
    });
  }
  return byTeam;
}

type Listed = ConfigFile['projects'][number];
type Given = Partial<Pick<Settings, 'AGENT_API_KEY' | 'AGENT_PROJECT_ID'>>;

/** The projects of the settings and the file, with their keys. Null: there are problems. */
export function projectsOf(
  { AGENT_PROJECT_ID: defaultId, AGENT_API_KEY: sharedKey }: Given,
  listed: readonly Listed[],
  secretOf: SecretOf,
  report: Report,
): ConfiguredProjects | null {
  const isListed = defaultId === undefined || listed.some(({ id }) => id === defaultId);
  const only: Listed[] =
    listed.length > 0 || defaultId === undefined ? [] : [{ id: defaultId, notice_channels: [] }];
  const inOrder = [...listed, ...only].sort(
    (a, b) => Number(b.id === defaultId) - Number(a.id === defaultId),
  );
  const [first, ...others] = inOrder.map(({ id, name, notice_channels: noticeChannels }) => ({
    id,
    name: name ?? id,
    noticeChannels,
  }));
  if (first === undefined) {
    report(missing('AGENT_PROJECT_ID', ': set it, or list projects in DOCS_AGENT_CONFIG'));
    if (sharedKey === undefined) report(missing('AGENT_API_KEY'));
  } else if (!isListed && only.length === 0) {
    report({
      variable: 'AGENT_PROJECT_ID',
      message: 'is not one of the projects that DOCS_AGENT_CONFIG lists',
      example: `AGENT_PROJECT_ID=${first.id}`,
    });
  }
  const apiKeys = keysOf(inOrder, sharedKey, secretOf, report);
  if (first === undefined || apiKeys.size < inOrder.length) return null;
  return { projects: [first, ...others], apiKeys };
}

export function keysOf(
  listed: NamedSecrets['projects'],
  sharedKey: string | undefined,
  secretOf: SecretOf,
  report: Report,
): Map<string, string> {
  const keys = new Map<string, string>();
  for (const { id, api_key_env: variable } of listed) {
    const key = variable === undefined ? (sharedKey ?? missing('AGENT_API_KEY')) : secretOf(variable);
    if (key !== null && typeof key !== 'string') {
      report(key);
      continue;
    }
    const problem = variable && secret.safeParse(key ?? undefined).error?.issues[0]?.message;
    if (!problem) keys.set(id, String(key));
    else {
      const message = `${problem} (the key of the project ${id})`;
      report({ variable, message, example: `${variable}=the-key-of-${id}` });
    }
  }
  return keys;
}

function missing(variable: 'AGENT_PROJECT_ID' | 'AGENT_API_KEY', more = ''): ConfigProblem {
  return { variable, message: `is missing${more}`, example: exampleOf(variable) };
}
