import type { KeyObject } from 'node:crypto';
import type { AccessRule, Rules } from '#jobs/policy.ts';
import type { Project, Projects } from '#jobs/requests/project.ts';
import { secret } from './checks.ts';
import type { ConfigFile, NamedSecrets } from './file-schema.ts';
import { type ConfigProblem, problemWith, type SecretOf } from './values.ts';

export interface WorkspaceSettings extends Rules {
  readonly projects: Projects;
  readonly access: AccessRule;
  readonly featureSettings: object;
}

export function workspacesOf(
  { workspaces }: ConfigFile,
  all: Projects,
): ReadonlyMap<string, WorkspaceSettings> {
  const settings = Object.entries(workspaces).map(([teamId, workspace]) => {
    const { channels, access, admins, notice_channels: noticeChannels } = workspace;
    const projects = workspace.projects.flatMap((name) => all.filter((one) => one.name === name));
    return [
      teamId,
      {
        projects: projects as [Project, ...Project[]],
        channels,
        access: { ...access, admins },
        noticeChannels,
        featureSettings: workspace,
      },
    ] as const;
  });
  return new Map(settings);
}

/** The default comes first. */
export function projectsOf(
  listed: ConfigFile['projects'],
  defaultId: string | undefined,
  problems: ConfigProblem[],
): Projects | null {
  const isDefault = ({ id }: { readonly id: string }) => id === defaultId;
  const given =
    listed.length > 0 || defaultId === undefined ? listed : [{ id: defaultId, notice_channels: [] }];
  const [first, ...others] = given
    .map(({ id, name = id, notice_channels: noticeChannels }) => ({ id, name, noticeChannels }))
    .sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  if (first === undefined) {
    const message = 'is missing: set it, or list projects in DOCS_AGENT_CONFIG';
    problems.push(problemWith('AGENT_PROJECT_ID', message));
    return null;
  }
  if (defaultId !== undefined && !isDefault(first)) {
    problems.push({
      variable: 'AGENT_PROJECT_ID',
      message: 'is not one of the projects that DOCS_AGENT_CONFIG lists',
      example: `AGENT_PROJECT_ID=${first.id}`,
    });
  }
  return [first, ...others];
}

/** By project id. */
export function keysOf(
  projects: NamedSecrets['projects'],
  secretOf: SecretOf,
  problems: ConfigProblem[],
): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const { id, api_key_env: variable } of projects) {
    const key = secretOf(variable ?? 'AGENT_API_KEY');
    const wrong = variable && secret.safeParse(key ?? undefined).error?.issues[0]?.message;
    if (key !== null && typeof key !== 'string') {
      problems.push(key);
    } else if (wrong) {
      const message = `${wrong} (the key of the project ${id})`;
      problems.push({ variable, message, example: `${variable}=the-key-of-${id}` });
    } else if (key === null) {
      problems.push(problemWith('AGENT_API_KEY', 'is missing'));
    } else {
      keys.set(id, key);
    }
  }
  return keys;
}

export function featureSecretsOf(
  { ofFeatures }: NamedSecrets,
  secretOf: SecretOf,
  problems: ConfigProblem[],
): ReadonlyMap<string, readonly KeyObject[]> {
  const secrets = new Map<string, readonly KeyObject[]>();
  for (const { variable, of, example, read } of ofFeatures) {
    const given = secretOf(variable);
    const found = typeof given === 'string' ? read(given) : (given ?? 'is missing');
    if (typeof found === 'string') problems.push({ variable, message: `${found} (${of})`, example });
    else if ('variable' in found) problems.push(found);
    else secrets.set(variable, found);
  }
  return secrets;
}
