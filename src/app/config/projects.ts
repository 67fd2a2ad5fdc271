import type { AccessRule, Rules } from '../../jobs/policy.ts';
import type { Recipe } from '../../jobs/recipe.ts';
import type { Digest } from '../../jobs/report/report.ts';
import type { Projects } from '../../jobs/requests/project.ts';
import { secret } from './checks.ts';
import type { ConfigFile, NamedSecrets } from './file-schema.ts';
import type { Checked, ConfigProblem } from './problems.ts';
import { digestOf, recipesOf } from './recipes.ts';
import { exampleOf, type Settings } from './settings.ts';
import { type Environment, lookUpSecret, type ReadFile } from './values.ts';

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
  return new Map(
    Object.entries(workspaces).flatMap(
      ([teamId, { channels, access, admins, recipes, digest, ...workspace }]) => {
        // In the order of the list; the first is the default.
        const [first, ...others] = workspace.projects.flatMap((name) =>
          all.filter((one) => one.name === name),
        );
        if (first === undefined) return [];
        const noticeChannels = workspace.notice_channels;
        return [
          [
            teamId,
            {
              projects: [first, ...others],
              channels,
              access: { ...access, admins },
              noticeChannels,
              recipes: recipesOf(recipes, admins),
              digest: digestOf(digest),
            },
          ],
        ];
      },
    ),
  );
}

type Listed = ConfigFile['projects'][number];
type Given = Partial<Pick<Settings, 'AGENT_API_KEY' | 'AGENT_PROJECT_ID'>>;

/** The projects of the settings and the file, with their keys; or the problems. */
export function projectsOf(
  given: Given,
  listed: readonly Listed[],
  env: Environment,
  readFile: ReadFile,
): Checked<ConfiguredProjects> {
  const { AGENT_PROJECT_ID: defaultId } = given;
  const only: Listed[] =
    listed.length > 0 || defaultId === undefined ? [] : [{ id: defaultId, notice_channels: [] }];
  const inOrder = [...listed, ...only].sort(
    (a, b) => Number(b.id === defaultId) - Number(a.id === defaultId),
  );
  const keys = inOrder.map((project) => keyOf(project, given.AGENT_API_KEY, env, readFile));
  const [first, ...others] = inOrder.map(({ id, name, notice_channels: noticeChannels }) => ({
    id,
    name: name ?? id,
    noticeChannels,
  }));
  const problems = [
    ...(first === undefined
      ? [missing('AGENT_PROJECT_ID', 'set it, or list projects in DOCS_AGENT_CONFIG')]
      : []),
    ...(first === undefined && given.AGENT_API_KEY === undefined ? [missing('AGENT_API_KEY')] : []),
    ...unlisted(defaultId, listed),
    ...keys.filter((key) => typeof key !== 'string'),
  ];
  if (first === undefined || problems.length > 0) return { problems: unique(problems) };
  const apiKeys = new Map(inOrder.map(({ id }, index) => [id, String(keys[index])]));
  return { value: { projects: [first, ...others], apiKeys } };
}

/** Problems with the keys alone, where the file has others. */
export function keyProblems(
  listed: NamedSecrets['projects'],
  sharedKey: string | undefined,
  env: Environment,
  readFile: ReadFile,
): ConfigProblem[] {
  const keys = listed.map((project) => keyOf(project, sharedKey, env, readFile));
  return unique(keys.filter((key) => typeof key !== 'string'));
}

function keyOf(
  { id, api_key_env: variable }: NamedSecrets['projects'][number],
  sharedKey: string | undefined,
  env: Environment,
  readFile: ReadFile,
): string | ConfigProblem {
  if (variable === undefined) return sharedKey ?? missing('AGENT_API_KEY');
  const key = lookUpSecret(env, variable, readFile);
  if (key !== null && typeof key !== 'string') return key;
  const message = secret().safeParse(key ?? undefined).error?.issues[0]?.message;
  if (message === undefined) return String(key);
  return {
    variable,
    message: `${message} (the key of the project ${id})`,
    example: `${variable}=the-key-of-${id}`,
  };
}

function unlisted(id: string | undefined, listed: readonly Listed[]): ConfigProblem[] {
  const [first] = listed;
  if (first === undefined || id === undefined || listed.some((project) => project.id === id)) return [];
  const message = 'is not one of the projects that DOCS_AGENT_CONFIG lists';
  return [{ variable: 'AGENT_PROJECT_ID', message, example: `AGENT_PROJECT_ID=${first.id}` }];
}

function missing(variable: 'AGENT_PROJECT_ID' | 'AGENT_API_KEY', what?: string): ConfigProblem {
  return {
    variable,
    message: what === undefined ? 'is missing' : `is missing: ${what}`,
    example: exampleOf(variable),
  };
}

function unique(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return [...new Map(problems.map((problem) => [problem.variable + problem.message, problem])).values()];
}
