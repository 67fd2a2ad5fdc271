import type { Step, Wrong } from './misplaced.ts';
import type { ConfigFile } from './schema.ts';

/** What cannot all be true in a file whose every value is well formed. */
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
  return Object.entries(channels)
    .filter(([, { project }]) => project !== undefined && !names.includes(project))
    .map(([channel]) => ({ path: [...path, 'channels', channel, 'project'], message: isNone(names) }));
}

function isNone(names: readonly string[]): string {
  return `is none of the projects (${names.join(', ') || 'there are none in this file'})`;
}

/** The places of the values that were there before. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
