import type { ConfigFile } from './file-schema.ts';

/** Something that is wrong at a place in the file. */
export interface Wrong {
  readonly path: readonly Step[];
  /** To be read after the name of the place. */
  readonly message: string;
}

/** Part of the way to a value: a key of a map, or a place in a list. */
export type Step = string | number;

/** What contradicts itself in a file whose every value is well formed. */
export function contradictions({ projects, channels, workspaces }: ConfigFile): Wrong[] {
  const names = projects.map(({ id, name }) => name ?? id);
  const ids = projects.map(({ id }) => id);
  return [
    ...repeated(ids).map((index) => ({
      path: ['projects', index, 'id'],
      message: `is the same as of projects[${ids.indexOf(ids[index] ?? '')}]`,
    })),
    ...repeated(names.map((name) => name.toLowerCase())).map((index) => ({
      path: ['projects', index, projects[index]?.name === undefined ? 'id' : 'name'],
      message: 'is the name of another project, too',
    })),
    ...unknownProjects(channels, names, []),
    ...Object.entries(workspaces).flatMap(([team, workspace]) =>
      ofWorkspace(workspace, names, ['workspaces', team]),
    ),
  ];
}

function ofWorkspace(
  { projects, channels }: ConfigFile['workspaces'][string],
  names: readonly string[],
  path: readonly Step[],
): Wrong[] {
  const unknown = projects.flatMap((name, index) =>
    names.includes(name) ? [] : [{ path: [...path, 'projects', index], message: isNone(names) }],
  );
  const twice = repeated(projects).map((index) => ({
    path: [...path, 'projects', index],
    message: 'is named twice',
  }));
  return [...unknown, ...twice, ...unknownProjects(channels, projects, path)];
}

function unknownProjects(
  channels: ConfigFile['channels'],
  names: readonly string[],
  path: readonly Step[],
): Wrong[] {
  return [...channels]
    .filter(([, { projectName: name }]) => name !== undefined && !names.includes(name))
    .map(([channel]) => ({ path: [...path, 'channels', channel, 'project'], message: isNone(names) }));
}

function isNone(names: readonly string[]): string {
  return `is none of the projects (${names.join(', ') || 'there are none in this file'})`;
}

/** The indexes of values that occur before. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

/** With many workspaces, what names people or channels is set for each workspace. */
const OF_ONE_WORKSPACE = ['channels', 'access', 'admins'];

/**
 * Settings in a place where they have no meaning. `given`: the keys that the file sets at its top level; `isOauth`:
 * workspaces install the app by themselves, so there may be many.
 */
export function misplaced({ projects }: ConfigFile, given: readonly string[], isOauth: boolean): Wrong[] {
  if (!isOauth) {
    const message =
      'needs the settings of OAuth (SLACK_CLIENT_ID and others): a bot token is of one workspace';
    return given.includes('workspaces') ? [{ path: ['workspaces'], message }] : [];
  }
  const belongsElsewhere = (...path: readonly Step[]): Wrong => ({
    path,
    message: `belongs under workspaces.T….${path.at(-1)}: with OAuth there may be many workspaces`,
  });
  return [
    ...OF_ONE_WORKSPACE.filter((key) => given.includes(key)).map((key) => belongsElsewhere(key)),
    ...projects.flatMap(({ notice_channels: channels }, index) =>
      channels.length === 0 ? [] : [belongsElsewhere('projects', index, 'notice_channels')],
    ),
  ];
}
