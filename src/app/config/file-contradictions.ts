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
export function contradictions(file: ConfigFile): Wrong[] {
  const { projects, workspaces } = file;
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
    ...ofParts(file, names),
    ...sharedHooks(workspaces),
    ...Object.entries(workspaces).flatMap(([team, workspace]) =>
      under(
        ['workspaces', team],
        [
          ...workspace.projects.flatMap((name, index) =>
            names.includes(name) ? [] : [{ path: ['projects', index], message: isNoProject(names) }],
          ),
          ...repeated(workspace.projects).map((index) => ({
            path: ['projects', index],
            message: 'is named twice',
          })),
          ...ofParts(workspace, workspace.projects),
        ],
      ),
    ),
  ];
}

function under(place: readonly Step[], wrongs: readonly Wrong[]): Wrong[] {
  return wrongs.map(({ path, message }) => ({ path: [...place, ...path], message }));
}

/** In what both the file and each workspace may have. */
function ofParts(
  { channels, recipes, digest }: Pick<ConfigFile, 'channels' | 'recipes' | 'digest'>,
  projects: readonly string[],
): Wrong[] {
  const message = isNoProject(projects);
  return [
    ...[...channels]
      .filter(([, { projectName: name }]) => name !== undefined && !projects.includes(name))
      .map(([channel]) => ({ path: ['channels', channel, 'project'], message })),
    ...repeated(recipes.map(({ name }) => name)).map((index) => ({
      path: ['recipes', index, 'name'],
      message: 'is also the name of another recipe',
    })),
    ...recipes.flatMap((recipe, index) =>
      under(
        ['recipes', index],
        [
          // Without projects in the file, AGENT_PROJECT_ID names the only one.
          ...(recipe.project === undefined || projects.includes(recipe.project)
            ? []
            : [{ path: ['project'], message }]),
          ...ofRequest(recipe),
          ...ofValues(recipe),
          ...ofSchedule(recipe),
        ],
      ),
    ),
    ...(digest === undefined ? [] : under(['digest'], ofSchedule(digest))),
  ];
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
  const elsewhere = [
    ...OF_ONE_WORKSPACE.filter((key) => given.includes(key)).map((key) => [key]),
    ...projects.flatMap(({ notice_channels: channels }, index) =>
      channels.length === 0 ? [] : [['projects', index, 'notice_channels']],
    ),
  ];
  const noWorkflows =
    'does not work with OAuth: Slack allows workflow steps only in apps of one workspace or organisation';
  return [
    ...(given.includes('workflows') ? [{ path: ['workflows'], message: noWorkflows }] : []),
    ...elsewhere.map((path) => ({
      path,
      message: `belongs under workspaces.T….${path.at(-1)}: with OAuth there may be many workspaces`,
    })),
  ];
}

type Given = ConfigFile['recipes'][number];

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

function ofSchedule({ schedule: cron, zone }: Pick<Given, 'schedule' | 'zone'>): Wrong[] {
  if (cron === undefined) {
    return zone === undefined ? [] : [{ path: ['zone'], message: 'has no effect without a schedule' }];
  }
  const problem = scheduleProblem({ cron, zone: 'UTC' });
  const isKnown = zone === undefined || scheduleProblem({ cron: '0 0 * * *', zone }) === null;
  return [
    ...(problem === 'cron' || problem === 'never'
      ? [{ path: ['schedule'], message: scheduleProblems[problem] }]
      : []),
    ...(isKnown ? [] : [{ path: ['zone'], message: 'is not a time zone such as Europe/Berlin' }]),
  ];
}

const scheduleProblems = {
  cron: 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine',
  never: 'never comes: there is no such date',
} as const;
