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

function wrong(message: string, ...path: readonly Step[]): Wrong {
  return { path, message };
}

function* under(place: readonly Step[], ...wrongs: readonly Iterable<Wrong>[]): Generator<Wrong> {
  for (const each of wrongs) for (const { path, message } of each) yield wrong(message, ...place, ...path);
}

/** Contradictions in a file whose every value is well formed. */
export function* contradictions(file: ConfigFile): Generator<Wrong> {
  const { projects, workspaces } = file;
  const names = projects.map(({ id, name }) => name ?? id);
  const ids = projects.map(({ id }) => id);
  for (const index of repeated(ids)) {
    yield wrong(`is the same as in projects[${ids.indexOf(ids[index] ?? '')}]`, 'projects', index, 'id');
  }
  for (const index of repeated(names.map((name) => name.toLowerCase()))) {
    const key = projects[index]?.name === undefined ? 'id' : 'name';
    yield wrong('is also the name of another project', 'projects', index, key);
  }
  yield* ofParts(file, names);
  // A webhook's URL names the recipe, and no workspace.
  const workspaceOfHook = new Map<string, string>();
  for (const [team, { recipes }] of Object.entries(workspaces)) {
    for (const [index, { name, webhook }] of recipes.entries()) {
      if (webhook === undefined) continue;
      const first = workspaceOfHook.get(name) ?? team;
      workspaceOfHook.set(name, first);
      if (first !== team) {
        const message = 'has a webhook, but so does the recipe of this name in another workspace';
        yield wrong(message, 'workspaces', team, 'recipes', index, 'name');
      }
    }
  }
  for (const [team, workspace] of Object.entries(workspaces)) {
    const unknown = workspace.projects.flatMap((name, index) =>
      names.includes(name) ? [] : [wrong(isNoProject(names), 'projects', index)],
    );
    const twice = repeated(workspace.projects).map((index) => wrong('is named twice', 'projects', index));
    yield* under(['workspaces', team], unknown, twice, ofParts(workspace, workspace.projects));
  }
}

/** In what both the file and each workspace may have. */
function* ofParts(
  { channels, recipes, digest }: Pick<ConfigFile, 'channels' | 'recipes' | 'digest'>,
  projects: readonly string[],
): Generator<Wrong> {
  const ofProject = (name: string | undefined, ...path: readonly Step[]) =>
    name === undefined || projects.includes(name) ? [] : [wrong(isNoProject(projects), ...path, 'project')];
  for (const [channel, { projectName }] of channels) yield* ofProject(projectName, 'channels', channel);
  for (const index of repeated(recipes.map(({ name }) => name))) {
    yield wrong('is also the name of another recipe', 'recipes', index, 'name');
  }
  for (const [index, recipe] of recipes.entries()) {
    // Without projects in the file, AGENT_PROJECT_ID names the only one.
    const wrongs = [ofProject(recipe.project), ofRequest(recipe), ofValues(recipe), ofSchedule(recipe)];
    yield* under(['recipes', index], ...wrongs);
  }
  if (digest !== undefined) yield* under(['digest'], ofSchedule(digest));
}

/** With many workspaces, settings that name people or channels belong to each workspace. */
const OF_ONE_WORKSPACE = ['channels', 'access', 'admins', 'recipes', 'digest'];

/**
 * Settings in a place where they have no meaning. `given`: the file's top-level keys; `isOauth`: workspaces
 * install the app by themselves, so there may be many.
 */
export function* misplaced(
  { projects }: ConfigFile,
  given: readonly string[],
  isOauth: boolean,
): Generator<Wrong> {
  if (!isOauth) {
    const message =
      'needs the OAuth settings (SLACK_CLIENT_ID and others): a bot token belongs to one workspace';
    if (given.includes('workspaces')) yield wrong(message, 'workspaces');
    return;
  }
  if (given.includes('workflows')) {
    const message =
      'does not work with OAuth: Slack allows workflow steps only in apps of one workspace or organisation';
    yield wrong(message, 'workflows');
  }
  const elsewhere = (key: string, ...place: readonly Step[]) =>
    wrong(`belongs under workspaces.T….${key}: with OAuth there may be many workspaces`, ...place, key);
  for (const key of OF_ONE_WORKSPACE) if (given.includes(key)) yield elsewhere(key);
  for (const [index, { notice_channels: channels }] of projects.entries()) {
    if (channels.length > 0) yield elsewhere('notice_channels', 'projects', index);
  }
}

type Given = ConfigFile['recipes'][number];

/** Slack's forms have room for this many fields, with names of this length. */
const PLACEHOLDERS_MAX = 50;
const PLACEHOLDER_MAX = 100;

function* ofRequest({ request }: Given): Generator<Wrong> {
  const names = placeholdersIn(request);
  if (hasStrayBrace(request)) {
    const message =
      'has a brace that is not part of a placeholder: write {name}, with letters, digits and "_"';
    yield wrong(message, 'request');
  }
  if (names.length > PLACEHOLDERS_MAX) {
    yield wrong(`must have at most ${PLACEHOLDERS_MAX} placeholders`, 'request');
  }
  if (names.some(({ length }) => length > PLACEHOLDER_MAX)) {
    yield wrong(`has a placeholder whose name has more than ${PLACEHOLDER_MAX} characters`, 'request');
  }
}

const valueProblems: Readonly<Record<ValueProblem, string>> = {
  empty: 'is empty',
  too_long: `must have at most ${VALUE_MAX} characters`,
  several_lines: 'must be one line',
};

function* ofValues({ request, values, schedule }: Given): Generator<Wrong> {
  const names = placeholdersIn(request);
  for (const [name, value] of Object.entries(values)) {
    const problem = valueProblem(value);
    if (!names.includes(name)) {
      const meant = isPlaceholderName(name) ? nearest(name, names) : null;
      const hint = meant === null ? '' : `: did you mean ${meant}?`;
      yield wrong(`is not a placeholder in the request${hint}`, 'values', name);
    } else if (problem !== null) {
      yield wrong(valueProblems[problem], 'values', name);
    }
  }
  const missing = schedule === undefined ? [] : names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length === 0) return;
  const listed = missing.map((name) => `{${name}}`).join(', ');
  yield wrong(`needs a value for ${listed} under values: a schedule has nobody to ask`, 'schedule');
}

function* ofSchedule({ schedule: cron, zone }: Pick<Given, 'schedule' | 'zone'>): Generator<Wrong> {
  if (cron === undefined) {
    if (zone !== undefined) yield wrong('has no effect without a schedule', 'zone');
    return;
  }
  const problem = scheduleProblem({ cron, zone: 'UTC' });
  if (problem === 'cron') {
    const message = 'must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine';
    yield wrong(message, 'schedule');
  }
  if (problem === 'never') yield wrong('never comes: there is no such date', 'schedule');
  if (zone !== undefined && scheduleProblem({ cron: '0 0 * * *', zone }) !== null) {
    yield wrong('is not a time zone such as Europe/Berlin', 'zone');
  }
}
