import {
  hasStrayBrace,
  isPlaceholderName,
  placeholdersIn,
  VALUE_MAX,
  type ValueProblem,
  valueProblem,
} from '../../jobs/recipe.ts';
import { nearest } from '../../jobs/requests/project.ts';
import { scheduleProblem } from '../../jobs/schedule/moments.ts';
import type { ConfigFile } from './file-schema.ts';
import { isNoProject, repeated, type Step, type Wrong } from './problems.ts';

/** Contradictions in a file whose every value is well formed. */
export function contradictions({ projects, channels, recipes, digest, workspaces }: ConfigFile): Wrong[] {
  const names = projects.map(({ id, name }) => name ?? id);
  const ids = projects.map(({ id }) => id);
  return [
    ...repeated(ids).map((index) => ({
      path: ['projects', index, 'id'],
      message: `is the same as in projects[${ids.indexOf(ids[index] ?? '')}]`,
    })),
    ...repeated(names.map((name) => name.toLowerCase())).map((index) => ({
      path: ['projects', index, projects[index]?.name === undefined ? 'id' : 'name'],
      message: 'is also the name of another project',
    })),
    ...unknownProjects(channels, names, []),
    ...recipeProblems(recipes, names, ['recipes']),
    ...digestProblems(digest, ['digest']),
    ...sharedHooks(workspaces),
    ...Object.entries(workspaces).flatMap(([team, workspace]) =>
      ofWorkspace(workspace, names, ['workspaces', team]),
    ),
  ];
}

function ofWorkspace(
  { projects, channels, recipes, digest }: ConfigFile['workspaces'][string],
  names: readonly string[],
  path: readonly Step[],
): Wrong[] {
  const unknown = projects.flatMap((name, index) =>
    names.includes(name) ? [] : [{ path: [...path, 'projects', index], message: isNoProject(names) }],
  );
  const twice = repeated(projects).map((index) => ({
    path: [...path, 'projects', index],
    message: 'is named twice',
  }));
  return [
    ...unknown,
    ...twice,
    ...unknownProjects(channels, projects, path),
    ...recipeProblems(recipes, projects, [...path, 'recipes']),
    ...digestProblems(digest, [...path, 'digest']),
  ];
}

function digestProblems(digest: ConfigFile['digest'], path: readonly Step[]): Wrong[] {
  const wrongs = digest === undefined ? [] : ofSchedule(digest);
  return wrongs.map((wrong) => ({ ...wrong, path: [...path, ...wrong.path] }));
}

function unknownProjects(
  channels: ConfigFile['channels'],
  names: readonly string[],
  path: readonly Step[],
): Wrong[] {
  return [...channels]
    .filter(([, { projectName: name }]) => name !== undefined && !names.includes(name))
    .map(([channel]) => ({ path: [...path, 'channels', channel, 'project'], message: isNoProject(names) }));
}

/** A webhook's URL names the recipe, and no workspace. */
function sharedHooks(workspaces: ConfigFile['workspaces']): Wrong[] {
  const hooks = Object.entries(workspaces).flatMap(([team, { recipes }]) =>
    recipes.flatMap(({ name, webhook }, index) => (webhook === undefined ? [] : [{ team, index, name }])),
  );
  return hooks
    .filter(({ team, name }, at) =>
      hooks.slice(0, at).some((other) => other.name === name && other.team !== team),
    )
    .map(({ team, index }) => ({
      path: ['workspaces', team, 'recipes', index, 'name'],
      message: 'has a webhook, but so does the recipe of this name in another workspace',
    }));
}

/** With many workspaces, settings that name people or channels belong to each workspace. */
const OF_ONE_WORKSPACE = ['channels', 'access', 'admins', 'recipes', 'digest'];

/**
 * Settings in a place where they have no meaning. `given`: the file's top-level keys; `isOauth`: workspaces
 * install the app by themselves, so there may be many.
 */
export function misplaced({ projects }: ConfigFile, given: readonly string[], isOauth: boolean): Wrong[] {
  if (!isOauth) {
    const message =
      'needs the OAuth settings (SLACK_CLIENT_ID and others): a bot token belongs to one workspace';
    return given.includes('workspaces') ? [{ path: ['workspaces'], message }] : [];
  }
  const belongsElsewhere = (...path: readonly Step[]): Wrong => ({
    path,
    message: `belongs under workspaces.T….${path.at(-1)}: with OAuth there may be many workspaces`,
  });
  const noWorkflows: Wrong = {
    path: ['workflows'],
    message:
      'does not work with OAuth: Slack allows workflow steps only in apps of one workspace or organisation',
  };
  return [
    ...(given.includes('workflows') ? [noWorkflows] : []),
    ...OF_ONE_WORKSPACE.filter((key) => given.includes(key)).map((key) => belongsElsewhere(key)),
    ...projects.flatMap(({ notice_channels: channels }, index) =>
      channels.length === 0 ? [] : [belongsElsewhere('projects', index, 'notice_channels')],
    ),
  ];
}

type Given = ConfigFile['recipes'][number];

/** Contradictions in recipes whose every value is well formed. */
function recipeProblems(
  recipes: readonly Given[],
  projects: readonly string[],
  path: readonly Step[],
): Wrong[] {
  const at = (index: number, ...place: readonly Step[]) => [...path, index, ...place];
  return [
    ...repeated(recipes.map(({ name }) => name)).map((index) => ({
      path: at(index, 'name'),
      message: 'is also the name of another recipe',
    })),
    ...recipes.flatMap((recipe, index) =>
      [...ofProject(recipe, projects), ...ofRequest(recipe), ...ofValues(recipe), ...ofSchedule(recipe)].map(
        ({ path: place, message }) => ({ path: at(index, ...place), message }),
      ),
    ),
  ];
}

/** Without projects in the file, AGENT_PROJECT_ID names the only one. */
function ofProject({ project }: Given, projects: readonly string[]): Wrong[] {
  return project === undefined || projects.includes(project)
    ? []
    : [{ path: ['project'], message: isNoProject(projects) }];
}

/** Slack's forms have room for this many fields, with names of this length. */
const PLACEHOLDERS_MAX = 50;
const PLACEHOLDER_MAX = 100;

function ofRequest({ request }: Given): Wrong[] {
  const names = placeholdersIn(request);
  return [
    hasStrayBrace(request) &&
      'has a brace that is not part of a placeholder: write {name}, with letters, digits and "_"',
    names.length > PLACEHOLDERS_MAX && `must have at most ${PLACEHOLDERS_MAX} placeholders`,
    names.some(({ length }) => length > PLACEHOLDER_MAX) &&
      `has a placeholder whose name has more than ${PLACEHOLDER_MAX} characters`,
  ].flatMap((message) => (message === false ? [] : [{ path: ['request'], message }]));
}

const valueProblems: Readonly<Record<ValueProblem, string>> = {
  empty: 'is empty',
  too_long: `must have at most ${VALUE_MAX} characters`,
  several_lines: 'must be one line',
};

function ofValues({ request, values, schedule }: Given): Wrong[] {
  const names = placeholdersIn(request);
  const wrongs = Object.entries(values).flatMap(([name, value]): Wrong[] => {
    if (!names.includes(name)) {
      const meant = isPlaceholderName(name) ? nearest(name, names) : null;
      const hint = meant === null ? '' : `: did you mean ${meant}?`;
      return [{ path: ['values', name], message: `is not a placeholder in the request${hint}` }];
    }
    const problem = valueProblem(value);
    return problem === null ? [] : [{ path: ['values', name], message: valueProblems[problem] }];
  });
  const missing = schedule === undefined ? [] : names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length === 0) return wrongs;
  const listed = missing.map((name) => `{${name}}`).join(', ');
  return [
    ...wrongs,
    { path: ['schedule'], message: `needs a value for ${listed} under values: a schedule has nobody to ask` },
  ];
}

/** Problems with a schedule. */
function ofSchedule({ schedule: cron, zone }: Pick<Given, 'schedule' | 'zone'>): Wrong[] {
  if (cron === undefined) {
    return zone === undefined ? [] : [{ path: ['zone'], message: 'has no effect without a schedule' }];
  }
  const known = zone === undefined || scheduleProblem({ cron: '0 0 * * *', zone }) === null;
  const ofZone: Wrong[] = known
    ? []
    : [{ path: ['zone'], message: 'is not a time zone such as Europe/Berlin' }];
  switch (scheduleProblem({ cron, zone: 'UTC' })) {
    case 'cron':
      return [
        {
          path: ['schedule'],
          message: 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine',
        },
        ...ofZone,
      ];
    case 'never':
      return [{ path: ['schedule'], message: 'never comes: there is no such date' }, ...ofZone];
    default:
      return ofZone;
  }
}
