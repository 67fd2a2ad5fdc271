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

/** What is wrong at the place, if anything. */
function wrong(message: string | false | null, ...path: readonly Step[]): Wrong[] {
  return message ? [{ path, message }] : [];
}

function under(place: readonly Step[], ...wrongs: readonly (readonly Wrong[])[]): Wrong[] {
  return wrongs.flat().map(({ path, message }) => ({ path: [...place, ...path], message }));
}

/** Contradictions in a file whose every value is well formed. */
export function contradictions(file: ConfigFile): Wrong[] {
  const { projects, workspaces } = file;
  const names = projects.map(({ id, name }) => name ?? id);
  const ids = projects.map(({ id }) => id);
  const hooks = Object.entries(workspaces).flatMap(([team, { recipes }]) =>
    recipes.flatMap(({ name, webhook }, index) => (webhook === undefined ? [] : [{ team, index, name }])),
  );
  return [
    ...repeated(ids).flatMap((index) =>
      wrong(`is the same as in projects[${ids.indexOf(ids[index] ?? '')}]`, 'projects', index, 'id'),
    ),
    ...repeated(names.map((name) => name.toLowerCase())).flatMap((index) => {
      const key = projects[index]?.name === undefined ? 'id' : 'name';
      return wrong('is also the name of another project', 'projects', index, key);
    }),
    ...ofParts(file, names),
    // A webhook's URL names the recipe, and no workspace.
    ...hooks
      .filter(({ team, name }, at) =>
        hooks.slice(0, at).some((other) => other.name === name && other.team !== team),
      )
      .flatMap(({ team, index }) => {
        const message = 'has a webhook, but so does the recipe of this name in another workspace';
        return wrong(message, 'workspaces', team, 'recipes', index, 'name');
      }),
    ...Object.entries(workspaces).flatMap(([team, workspace]) =>
      under(
        ['workspaces', team],
        workspace.projects.flatMap((name, index) =>
          wrong(!names.includes(name) && isNoProject(names), 'projects', index),
        ),
        repeated(workspace.projects).flatMap((index) => wrong('is named twice', 'projects', index)),
        ofParts(workspace, workspace.projects),
      ),
    ),
  ];
}

/** In what both the file and each workspace may have. */
function ofParts(
  { channels, recipes, digest }: Pick<ConfigFile, 'channels' | 'recipes' | 'digest'>,
  projects: readonly string[],
): Wrong[] {
  const projectProblem = (name: string | undefined) =>
    name !== undefined && !projects.includes(name) && isNoProject(projects);
  return [
    ...[...channels].flatMap(([channel, { projectName }]) =>
      wrong(projectProblem(projectName), 'channels', channel, 'project'),
    ),
    ...repeated(recipes.map(({ name }) => name)).flatMap((index) =>
      wrong('is also the name of another recipe', 'recipes', index, 'name'),
    ),
    ...recipes.flatMap((recipe, index) =>
      under(
        ['recipes', index],
        // Without projects in the file, AGENT_PROJECT_ID names the only one.
        wrong(projectProblem(recipe.project), 'project'),
        ofRequest(recipe),
        ofValues(recipe),
        ofSchedule(recipe),
      ),
    ),
    ...(digest === undefined ? [] : under(['digest'], ofSchedule(digest))),
  ];
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
    return wrong(given.includes('workspaces') && message, 'workspaces');
  }
  const noWorkflows =
    'does not work with OAuth: Slack allows workflow steps only in apps of one workspace or organisation';
  const elsewhere = (key: string, ...place: readonly Step[]) =>
    wrong(`belongs under workspaces.T….${key}: with OAuth there may be many workspaces`, ...place, key);
  return [
    ...wrong(given.includes('workflows') && noWorkflows, 'workflows'),
    ...OF_ONE_WORKSPACE.filter((key) => given.includes(key)).flatMap((key) => elsewhere(key)),
    ...projects.flatMap(({ notice_channels: channels }, index) =>
      channels.length === 0 ? [] : elsewhere('notice_channels', 'projects', index),
    ),
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
  ].flatMap((message) => wrong(message, 'request'));
}

const valueProblems: Readonly<Record<ValueProblem, string>> = {
  empty: 'is empty',
  too_long: `must have at most ${VALUE_MAX} characters`,
  several_lines: 'must be one line',
};

function ofValues({ request, values, schedule }: Given): Wrong[] {
  const names = placeholdersIn(request);
  const missing = schedule === undefined ? [] : names.filter((name) => !Object.hasOwn(values, name));
  const listed = missing.map((name) => `{${name}}`).join(', ');
  return [
    ...Object.entries(values).flatMap(([name, value]) => {
      if (names.includes(name)) {
        const problem = valueProblem(value);
        return wrong(problem && valueProblems[problem], 'values', name);
      }
      const meant = isPlaceholderName(name) ? nearest(name, names) : null;
      const hint = meant === null ? '' : `: did you mean ${meant}?`;
      return wrong(`is not a placeholder in the request${hint}`, 'values', name);
    }),
    ...wrong(
      missing.length > 0 && `needs a value for ${listed} under values: a schedule has nobody to ask`,
      'schedule',
    ),
  ];
}

function ofSchedule({ schedule: cron, zone }: Pick<Given, 'schedule' | 'zone'>): Wrong[] {
  if (cron === undefined) return wrong(zone !== undefined && 'has no effect without a schedule', 'zone');
  const problem = scheduleProblem({ cron, zone: 'UTC' });
  const isKnown = zone === undefined || scheduleProblem({ cron: '0 0 * * *', zone }) === null;
  return [
    ...wrong(
      problem === 'cron' && 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine',
      'schedule',
    ),
    ...wrong(problem === 'never' && 'never comes: there is no such date', 'schedule'),
    ...wrong(!isKnown && 'is not a time zone such as Europe/Berlin', 'zone'),
  ];
}
