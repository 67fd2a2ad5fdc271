import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  /** From the project's root, with slashes: `src/jobs/job.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** A file of ours as a path from the root, a package, or a `node:` module. */
  readonly target: string;
  readonly typeOnly: boolean;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The TypeScript files in a folder of the project. */
export function readSources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({
      path: `${folder}/${file.replaceAll('\\', '/')}`,
      text: readFileSync(join(root, folder, file), 'utf8'),
    }));
}

const FROM = /^(?:import|export)\s+(?<type>type\s)?[^'";]*?from\s+['"](?<target>[^'"]+)['"]/gm;
const BARE = /^import\s+['"](?<target>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

export function importsOf({ path, text }: Source): Import[] {
  const code = withoutComments(text);
  return [...code.matchAll(FROM), ...code.matchAll(BARE)].map(({ groups }) => ({
    target: resolve(path, groups?.target ?? groups?.dynamic ?? ''),
    typeOnly: groups?.type !== undefined,
  }));
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*$/gms, '');
}

function resolve(from: string, target: string): string {
  if (target.startsWith('#')) return `src/${target.slice(1)}`;
  return target.startsWith('.') ? posix.join(posix.dirname(from), target) : target;
}
