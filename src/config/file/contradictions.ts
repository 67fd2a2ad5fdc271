import type { ConfigFile } from './schema.ts';
import type { Wrong } from './wrong.ts';

/** What cannot all be true in a file whose every value is well formed. */
export function contradictions({ projects, channels }: ConfigFile): Wrong[] {
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
    ...Object.entries(channels)
      .filter(([, { project }]) => project !== undefined && !names.includes(project))
      .map(([channel]) => ({
        path: ['channels', channel, 'project'],
        message: `is none of the projects (${names.join(', ') || 'there are none in this file'})`,
      })),
  ];
}

/** The places of the values that were there before. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
