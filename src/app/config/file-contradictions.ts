import type { ConfigFile } from './file-schema.ts';
import { ofSchedule, recipeProblems } from './recipe-problems.ts';
import { isNoProject, repeated, type Step, type Wrong } from './wrong.ts';

/** What contradicts itself in a file whose every value is well formed. */
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

/** The address of a webhook names the recipe, and no workspace. */
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

/** With many workspaces, what names people or channels is set for each workspace. */
const OF_ONE_WORKSPACE = ['channels', 'access', 'admins', 'recipes', 'digest'];

/**
 * Settings in a place where they have no meaning. `given`: the keys that the file sets at its top level; `isOauth`:
 * workspaces install the app by themselves, so there may be many.
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
